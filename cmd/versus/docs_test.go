package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// The pages in docs are those that this program writes.
func TestPagesAreCurrent(t *testing.T) {
	for _, page := range pages {
		var want, errs bytes.Buffer
		a := &app{out: &want, err: &errs}
		if code := a.main([]string{"docs", page.name}); code != exitOK {
			t.Fatalf("exit status %d: %s", code, errs.String())
		}
		name := "docs/" + page.file
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is out of date; write it with `go run ./cmd/versus docs`:\n%s",
				name, diff.Diff(name, got, "versus docs", want.Bytes()))
		}
	}
}
