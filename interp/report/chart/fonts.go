package chart

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// fonts are those of this machine from which letters were taken.
var fonts = newFinder(fontFiles)

// finder finds fonts for letters, and remembers what it found.
type finder struct {
	mu    sync.Mutex
	from  map[rune]*opentype.Font // nil: there is none
	files func() []string
}

func newFinder(files func() []string) *finder {
	return &finder{from: map[rune]*opentype.Font{}, files: files}
}

// of is the font of a letter that was looked for, or nil.
func (f *finder) of(r rune) *opentype.Font {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.from[r]
}

// find looks for the letters in the fonts of this machine and returns those that
// none has, in order.
func (f *finder) find(letters map[rune]bool) []rune {
	f.mu.Lock()
	defer f.mu.Unlock()
	left := map[rune]bool{}
	for r := range letters {
		if _, known := f.from[r]; !known {
			left[r] = true
			f.from[r] = nil
		}
	}
	if len(left) > 0 {
		for _, name := range f.files() {
			for _, font := range openFonts(name) {
				f.take(font, left)
			}
			if len(left) == 0 {
				break
			}
		}
	}
	var none []rune
	for _, r := range slices.Sorted(maps.Keys(letters)) {
		if f.from[r] == nil {
			none = append(none, r)
		}
	}
	return none
}

// take remembers the letters that a font has.
func (f *finder) take(font *opentype.Font, left map[rune]bool) {
	var buf sfnt.Buffer
	for r := range left {
		if has(font, &buf, r) {
			f.from[r] = font
			delete(left, r)
		}
	}
}

// has says whether a font can draw a letter.
func has(f *opentype.Font, buf *sfnt.Buffer, r rune) bool {
	i, err := f.GlyphIndex(buf, r)
	return err == nil && i != 0
}

const (
	maxFontFiles = 500
	maxFontSize  = 64 << 20 // bytes
)

// fontFiles are the font files of this machine, in the folders of the XDG base
// directories, as fontconfig has them: those that sound as if they had Chinese,
// Japanese and Korean letters first.
func fontFiles() []string {
	home, _ := os.UserHomeDir()
	folders := []string{filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local/share")), "fonts"), filepath.Join(home, ".fonts")}
	for _, d := range filepath.SplitList(cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")) {
		folders = append(folders, filepath.Join(d, "fonts"))
	}
	var files []string
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains([]string{".ttf", ".otf", ".ttc", ".otc"}, strings.ToLower(filepath.Ext(name))) {
				files = append(files, name)
			}
			if len(files) == maxFontFiles {
				return fs.SkipAll
			}
			return nil // what can't be read has no letters
		})
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(rankOfFont(a), rankOfFont(b)) })
	return files
}

func rankOfFont(name string) int {
	name = strings.ToLower(filepath.Base(name))
	for i, sign := range []string{"sanscjk", "sans-cjk", "wqy", "droidsansfallback", "cjk", "notosans"} {
		if strings.Contains(name, sign) && !strings.Contains(name, "bold") {
			return i
		}
	}
	return 100
}

// openFonts reads a font file, or none if it can't be read.
func openFonts(name string) []*opentype.Font {
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxFontSize {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	all, err := opentype.ParseCollection(data)
	if err != nil {
		return nil
	}
	var out []*opentype.Font
	for i := range min(all.NumFonts(), 16) {
		if f, err := all.Font(i); err == nil {
			out = append(out, f)
		}
	}
	return out
}
