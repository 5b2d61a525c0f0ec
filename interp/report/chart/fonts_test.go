package chart

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
	"gonum.org/v1/plot/vg"
)

// with draws with the fonts of a folder instead of the machine's.
func with(t *testing.T, files ...string) {
	before := fonts
	fonts = newFinder(func() []string { return files })
	t.Cleanup(func() { fonts = before })
}

// Letters that Liberation Sans lacks come from a font that has them; files that
// are none do no harm.
func TestFindFonts(t *testing.T) {
	folder := t.TempDir()
	broken, font := filepath.Join(folder, "broken.ttf"), filepath.Join(folder, "go.ttf")
	for name, content := range map[string][]byte{broken: goregular.TTF[:1000], font: goregular.TTF} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with(t, filepath.Join(folder, "absent.ttf"), broken, font)
	if got := lacking([]string{"abcж", "xₙ", "零ₙ拷"}); !slices.Equal(got, []rune{'拷', '零'}) {
		t.Errorf("lacking %q", string(got))
	}
	if fonts.of('ₙ') == nil || fonts.of('零') != nil {
		t.Error("the subscript is in the Go font, the others are not")
	}
	fonts.files = func() []string { t.Error("looked again for what is known"); return nil }
	if got := lacking([]string{"零"}); len(got) != 1 {
		t.Errorf("lacking %q", string(got))
	}
}

// What no font has is a box in a PNG, which says so; the SVG has it.
func TestMissingLetters(t *testing.T) {
	c := examples()[0]
	c.Title, c.Series[0].Name = "零拷贝", "共享内存"
	draw := func() []byte {
		var b bytes.Buffer
		if err := PNG(&b, c, Options{}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	with(t)
	if boxes := draw(); bytes.Equal(boxes, nil) || !bytes.Equal(boxes, draw()) {
		t.Error("drawn twice, the PNG differs")
	}
	if len(c.Notes) != 1 {
		t.Errorf("notes of the chart itself: %q", c.Notes)
	}
	text := wellFormed(t, svgOf(t, c, Options{}))
	if !bytes.Contains([]byte(text), []byte("共享内存")) || bytes.Contains([]byte(text), []byte("Boxes")) {
		t.Error(text)
	}
}

// A wide letter takes an em, whatever fonts there are.
func TestWidthOfLetters(t *testing.T) {
	st := style(10, ink)
	if got, want := st.Width("零拷 a"), 20+st.Width(" a"); got < want-0.01 || got > want+0.01 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := st.Width("a\u0301"); got > st.Width("a")+vg.Length(3) {
		t.Errorf("a mark over a letter is %v wide", got-st.Width("a"))
	}
}
