package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// The language reference in docs is the one that this program writes.
func TestLanguageReferenceIsCurrent(t *testing.T) {
	var want, errs bytes.Buffer
	a := &app{out: &want, err: &errs}
	if code := a.main([]string{"docs", "-out", "-"}); code != exitOK {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	got, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/language.md is out of date; write it with `go run ./cmd/versus docs`:\n%s",
			diff.Diff("docs/language.md", got, "versus docs", want.Bytes()))
	}
}
