package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Windows that the page is looked at in: a phone and a desktop.
var windows = []struct {
	name          string
	width, height int64
	mobile        bool
}{{"phone", 390, 844, true}, {"desktop", 1280, 900, false}}

// TestInBrowser opens pages from files in Chromium. Screenshots and prints are
// kept with
//
//	go test ./interp/report/page -run InBrowser -artifacts -outputdir /a/folder
func TestInBrowser(t *testing.T) {
	b := startBrowser(t)
	for _, x := range []struct {
		name string
		page *Page
	}{{"everything", made(t)}, {"markup", example(t, markup)}, {"word", example(t, strings.Repeat("W", 300))}} {
		t.Run(x.name, func(t *testing.T) {
			p := x.page
			file := filepath.Join(t.TempDir(), "report.html")
			if err := os.WriteFile(file, []byte(written(t, p)), 0o600); err != nil {
				t.Fatal(err)
			}
			b.t = t
			b.open(file)
			b.looksWell(len(p.Report.Charts))
			b.showsValues(p)
			b.selectsNumbers()
			b.prints()
			b.isAccessible()
			b.needsNoScript()
			b.isQuiet(file)
		})
	}
}

// looksWell looks at the page in each window, light and dark, folded and
// unfolded. Each chart is there wide and narrow, and one of the two shows.
func (b *browser) looksWell(charts int) {
	for _, w := range windows {
		for _, scheme := range []string{"light", "dark"} {
			call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: w.width, Height: w.height, DeviceScaleFactor: 1, Mobile: w.mobile})
			call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			b.settle()
			name := w.name + "-" + scheme
			b.keep(name+".png", b.screenshot(w.width))
			if n := ask[int](b, "charts()"); n != charts {
				b.t.Errorf("%s: %d charts show, want %d", name, n, charts)
			}
			for _, folded := range []bool{true, false} {
				run(b, chromedp.Evaluate[chromedp.Void](fmt.Sprintf("%s.fold(%t)", checks, folded)))
				for _, check := range []string{"overflow()", "contrast()"} {
					if problems := ask[[]string](b, check); len(problems) > 0 {
						b.t.Errorf("%s, folded: %t: %s: %s", name, folded, check, strings.Join(problems, "\n"))
					}
				}
			}
			run(b, chromedp.Evaluate[chromedp.Void](checks+".fold(true)"))
		}
	}
}

type place struct{ X, Y float64 }

// showsValues rests the pointer on a value of each chart. What the browser shows
// then is the title of what lies there; it must be a value of the chart, or say
// why there is none.
func (b *browser) showsValues(p *Page) {
	if n := ask[int](b, "count('figure')"); n != len(p.Report.Charts) {
		b.t.Fatalf("%d charts, want %d", n, len(p.Report.Charts))
	}
	for i, c := range p.Report.Charts {
		spot := ask[*place](b, fmt.Sprintf("spot(%d)", i))
		if spot == nil {
			b.t.Errorf("chart %s has nothing to rest the pointer on", c.Name)
			continue
		}
		b.settle()
		run(b, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, spot.X, spot.Y))
		if got := ask[string](b, "hovered()"); !slices.Contains(texts(slices.Concat(c.Values(), c.Missing())), got) {
			b.t.Errorf("chart %s shows %q under the pointer", c.Name, got)
		}
	}
}

// selectsNumbers clicks on the boxes of numbers: each is selected whole, to be
// copied as the reader's system does it. A button would need a script.
func (b *browser) selectsNumbers() {
	n := ask[int](b, "count('pre.copy')")
	if n != 2 {
		b.t.Errorf("%d boxes of numbers", n)
	}
	for i := range n {
		at := ask[place](b, fmt.Sprintf("box(%d)", i))
		b.settle()
		run(b, chromedp.MouseClickXY(at.X, at.Y))
		if !ask[bool](b, fmt.Sprintf("selected(%d)", i)) {
			b.t.Errorf("a click does not select box %d", i)
		}
	}
}

// prints prints the page as a reader would who has unfolded nothing: on paper,
// what is folded can't be unfolded.
func (b *browser) prints() {
	b.reload()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	b.settle()
	if folded := ask[[]string](b, "folded()"); len(folded) > 0 {
		b.t.Errorf("not on paper: %q", folded)
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	pdf := run(b, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize()))
	b.keep("print.pdf", pdf)
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("/Type /Page\n")) {
		b.t.Errorf("no PDF with pages, but %d bytes", len(pdf))
	}
}

// isAccessible asks for what Chromium tells screen readers (WCAG 2.2 A: 1.1.1,
// 1.3.1, 2.4.1, 2.4.6, 3.1.1, 4.1.2). TestAccessible looks at the markup alone.
func (b *browser) isAccessible() {
	if lang := ask[string](b, "language()"); lang != "en" {
		b.t.Errorf("the language is %q", lang)
	}
	run(b, chromedp.Evaluate[chromedp.Void](checks+".fold(false)"))
	counts := map[string]int{}
	level := 0
	for _, n := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if n.Ignored {
			continue
		}
		role, name := valueOf[string](b, n.Role), strings.TrimSpace(valueOf[string](b, n.Name))
		counts[role]++
		needs := slices.Contains([]string{"RootWebArea", "image", "img", "table", "button", "link", "region", "navigation", "heading", "columnheader", "rowheader"}, role)
		for _, p := range n.Properties {
			switch p.Name {
			case "focusable":
				needs = needs || valueOf[bool](b, p.Value)
			case "level":
				if role != "heading" {
					continue
				}
				now := int(valueOf[float64](b, p.Value))
				if now > level+1 {
					b.t.Errorf("the heading %q of level %d follows one of level %d", name, now, level)
				}
				level = now
			}
		}
		if needs && name == "" {
			b.t.Errorf("a node of the role %q has no name", role)
		}
	}
	for role, selector := range map[string]string{"image": ".wide > svg", "table": "table", "heading": "h1, h2, h3", "link": "a", "region": "section"} {
		if want := ask[int](b, fmt.Sprintf("count('%s')", selector)); counts[role] != want || want == 0 {
			b.t.Errorf("%d nodes of the role %q, and %d elements %s", counts[role], role, want, selector)
		}
	}
	for _, landmark := range []string{"main", "banner", "contentinfo", "navigation"} {
		if counts[landmark] != 1 {
			b.t.Errorf("%d landmarks %q", counts[landmark], landmark)
		}
	}
}

// needsNoScript compares what is shown with what is shown to readers whose
// browser runs no scripts.
func (b *browser) needsNoScript() {
	type shown struct {
		Text   string   `json:"text"`
		Hidden []string `json:"hidden"`
	}
	b.reload()
	with := ask[shown](b, "visible()")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.reload()
	without := ask[shown](b, "visible()")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	if with.Text == "" || without.Text != with.Text {
		b.t.Errorf("with scripts the page shows %d bytes of text, without %d", len(with.Text), len(without.Text))
	}
	if len(without.Hidden) > 0 {
		b.t.Errorf("hidden: %q", without.Hidden)
	}
}

// isQuiet says that nothing was asked for but the page, and nothing complained.
func (b *browser) isQuiet(file string) {
	requests, complaints := b.heard()
	for _, url := range requests {
		if url != "file://"+file {
			b.t.Errorf("the page asks for %.200s", url)
		}
	}
	if len(requests) == 0 {
		b.t.Error("the browser did not even say that it asks for the page")
	}
	if len(complaints) > 0 {
		b.t.Errorf("the browser says %q", complaints)
	}
}

func valueOf[T any](b *browser, v *accessibility.Value) T {
	b.t.Helper()
	var out T
	if v != nil && len(v.Value) > 0 {
		if err := json.Unmarshal(v.Value, &out); err != nil {
			b.t.Fatal(err)
		}
	}
	return out
}
