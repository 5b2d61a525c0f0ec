package report

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		format string
		values []float64
		want   []string
	}{
		{"percent", []float64{1.4455, -0.0941, 0.772}, []string{"145%", "-9%", "77%"}},
		{"percent", []float64{0.042, -0.0007, 0}, []string{"4.2%", "-0.1%", "0.0%"}},
		{"percent", []float64{2.5, -0.004}, []string{"250%", "-0.4%"}},
		{"percent", []float64{-0.0000001}, []string{"0.0%"}},
		{"ratio", []float64{27.2889, 2.43, 266.63, 1}, []string{"27.29x", "2.430x", "266.6x", "1x"}},
		{"number", []float64{33.78, 3237.104, 19.884}, []string{"33.8", "3,237.1", "19.9"}},
		{"number", []float64{0.0179, 5.5}, []string{"0.0179", "5.5000"}},
		{"number", []float64{1e-3, 12345.678}, []string{"0.001000", "12,346"}},
		{"number", []float64{0, 5, 1234567}, []string{"0", "5", "1,234,567"}},
		{"number", []float64{1.5e-7}, []string{"1.500e-07"}},
		{"number", []float64{2.5e16}, []string{"2.500e+16"}},
		{"number", []float64{999.7, 100.2}, []string{"1,000", "100"}},
		{"number", nil, nil},
	} {
		st := styleOf(c.format, c.values)
		var got []string
		for _, v := range c.values {
			got = append(got, st.print(v))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %v: %q, want %q", c.format, c.values, got, c.want)
		}
	}
}

func TestFit(t *testing.T) {
	// Columns of 4 + 3 characters and a border: 8 + 7n.
	sizes := []int{4, 4, 4, 4, 4}
	for _, c := range []struct {
		width int
		want  [][]int
	}{
		{0, [][]int{{0, 1, 2, 3, 4}}},
		{36, [][]int{{0, 1, 2, 3, 4}}},
		{35, [][]int{{0, 1, 2, 3}, {0, 4}}},
		{22, [][]int{{0, 1, 2}, {0, 3, 4}}},
		{1, [][]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}},
	} {
		if got := fit(sizes, 1, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("width %d: %v, want %v", c.width, got, c.want)
		}
	}
}

func TestTree(t *testing.T) {
	tr := newTree()
	for _, row := range [][]string{{"b", "2"}, {"a", "1"}, {"b", "1"}, {"b", "2"}} {
		tr.add(row)
	}
	want := [][]string{{"b", "2"}, {"b", "1"}, {"a", "1"}}
	if got := tr.list(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if key([]string{"a|b"}) == key([]string{"a", "b"}) || key([]string{`a\`, "b"}) == key([]string{`a\|b`}) {
		t.Error("two lists of labels have one key")
	}
}

func TestFootnotes(t *testing.T) {
	cells := make([]Cell, 5)
	var f footnotes
	f.add(&cells[0], "N/A", "not measured")
	f.add(&cells[1], "N/A", "not measured")
	f.add(&cells[2], "?", "0/0")
	f.add(&cells[3], "?", "1/0")
	f.add(&cells[4], "", "few samples")
	f.table("once")
	f.table("once")
	want := []Footnote{{"N/A", "not measured."}, {"1", "0/0."}, {"2", "1/0."}, {"3", "few samples."}, {"", "once"}}
	if got := f.finish(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if cells[0].Mark != "" || cells[3].Mark != "2" || cells[4].Mark != "3" {
		t.Errorf("marks: %+v", cells)
	}
}

// Headers and labels are shown as they are, whatever they hold.
func TestTextIsNotTouched(t *testing.T) {
	r := &Report{Title: "T", Tables: []*Table{{Title: "t", Columns: []Column{{"payload-size", true}, {"p99_ms", false}, {"  odd ", false}}, Rows: [][]Cell{
		{{Kind: KindLabel, Parts: []string{"日本語 wide"}}, {Kind: KindNumber, Parts: []string{"138%"}}, {Kind: KindText, Parts: []string{"a|b `c`"}}},
		{{Kind: KindLabel, Parts: []string{"evil\x1b[2Jx\nnext\u202e"}}, {Kind: KindNumber, Parts: []string{"138%"}}, {Kind: KindText, Parts: []string{"=1+1"}}},
	}}}}
	for _, env := range []string{"zh_CN.UTF-8", "C"} {
		t.Setenv("LC_ALL", env)
		t.Setenv("RUNEWIDTH_EASTASIAN", "1")
		golden(t, "untouched.txt", text(t, r, Options{}))
	}
	var md, csv strings.Builder
	if err := Markdown(&md, r); err != nil {
		t.Fatal(err)
	}
	if err := CSV(&csv, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "untouched.md", md.String())
	golden(t, "untouched.csv", csv.String())
}

// No line of a report is wider than its terminal, whatever it shows: a table that
// does not fit in parts is a list, and text without blanks is broken.
func TestNarrowTerminals(t *testing.T) {
	v := 1.03
	r := &Report{
		Title: "中文标题没有空格，因此必须在字符之间换行，否则会太宽", Description: "short words and 一个很长的没有空格的词组需要换行",
		Tables: []*Table{{Title: "单机延迟", Columns: []Column{{"backend", true}, {"word", true}, {"平均延迟（微秒）", false}, {"vs", false}},
			Rows: [][]Cell{
				{{Kind: KindLabel, Parts: []string{"冰羚零拷贝"}}, {Kind: KindLabel, Parts: []string{"跨主机通信延迟"}}, {Kind: KindNumber, Parts: []string{"109,500,000"}},
					{Kind: KindBetter, Parts: []string{"1.030x", "[0.984x, 1.080x]", "no difference shown"}, Value: &v, Mark: "1"}},
				{{Kind: KindLabel, Parts: []string{"b"}}, {Kind: KindLabel, Parts: []string{""}}, {Kind: KindMissing, Parts: []string{"N/A"}}, {Kind: KindEmpty, Parts: []string{""}}},
			},
			Footnotes: []Footnote{{"1", "有一个脚注，它也没有空格，所以也要换行才能放得下"}},
		}},
	}
	for size := 20; size <= 120; size++ {
		for line := range strings.Lines(text(t, r, Options{Width: size})) {
			if n := width(strings.TrimSuffix(line, "\n")); n > size {
				t.Errorf("at %d columns a line has %d: %s", size, n, line)
			}
		}
	}
	golden(t, "narrow.txt", text(t, r, Options{Width: 34})+"\n"+text(t, r, Options{Width: 60})+"\n"+text(t, r, Options{Width: 200}))
}

// Whatever comes in, what goes out does nothing to a terminal.
func FuzzClean(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b]0;title\x07 \u202e \u0085 \xff \r\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q keeps %U", got, r)
			}
		}
		if clean(got) != got {
			t.Errorf("%q is cleaned twice", got)
		}
		if strings.ContainsAny(markdown(s), "\n") {
			t.Errorf("a new line in Markdown of %q", s)
		}
	})
}
