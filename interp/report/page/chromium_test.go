package page

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"versus/drivers/workertest"
)

//go:embed testdata/checks.js
var checks string

// patience bounds a whole test, with room for a machine that is busy.
const patience = 5 * time.Minute

// browser is a Chromium with one tab.
type browser struct {
	t   *testing.T // that is running
	ctx context.Context

	mu         sync.Mutex
	requests   []string // addresses that the tab asked for
	complaints []string // of the console, and exceptions
}

// startBrowser starts a Chromium without a window, a network or a profile of its
// user. It ends, and what it wrote is removed, when the test ends, and it dies
// with the process of the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if program == "" {
			program, _ = exec.LookPath(name)
		}
	}
	if program == "" {
		workertest.Need(t, fmt.Errorf("no Chromium in PATH: apt-get install chromium"))
	}
	scratch := t.TempDir()
	bound, stop := context.WithTimeout(t.Context(), patience)
	t.Cleanup(stop)
	// As root, Chromium needs --no-sandbox, which chromedp adds by itself: the
	// sandbox is there to hold a page that took the browser over, and these pages
	// are the project's own.
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program),
		chromedp.Env("HOME="+scratch, "TMPDIR="+scratch), // it writes there beside its profile
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.Flag("force-device-scale-factor", "1"),
	)
	allocator, release := chromedp.NewExecAllocator(bound, options...)
	t.Cleanup(release) // waits until the processes and the profile are gone
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	return b
}

// hear remembers what the tab asks for and complains about.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventWebSocketCreated:
		b.requests = append(b.requests, e.URL)
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, "console."+string(e.Type))
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	}
}

// heard returns and forgets what the tab asked for and complained about.
func (b *browser) heard() (requests, complaints []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	requests, complaints = b.requests, b.complaints
	b.requests, b.complaints = nil, nil
	return requests, complaints
}

// open opens a file, and waits until it is loaded.
func (b *browser) open(file string) {
	b.t.Helper()
	run(b, chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()))
}

func (b *browser) reload() {
	b.t.Helper()
	run(b, chromedp.Reload())
}

// tallest is how much of a page is in a screenshot, in pixels: Chromium refuses
// more than 16384.
const tallest = 16000

// screenshot is a PNG of the page, from its top on.
func (b *browser) screenshot(width int64) []byte {
	b.t.Helper()
	clip := page.Viewport{Width: float64(width), Height: min(tallest, ask[float64](b, "height()")), Scale: 1}
	yes := true
	return call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: &clip, CaptureBeyondViewport: &yes, OptimizeForSpeed: &yes}).Data
}

// keep writes a file for people to look at.
func (b *browser) keep(name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.t.ArtifactDir(), name), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func run[T any](b *browser, a chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func call[P, R any](b *browser, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, c, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// ask calls a function of checks.js in the page.
func ask[T any](b *browser, function string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](checks+"."+function, chromedp.EvalAwaitPromise))
}

// settle waits until the page is drawn as it now is.
func (b *browser) settle() {
	b.t.Helper()
	ask[bool](b, "settled()")
}
