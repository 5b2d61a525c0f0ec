package chart

import (
	"hash/fnv"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
)

// palette is that of Okabe and Ito (2008), which colour-blind readers can tell
// apart, without its yellow and with its lighter colours darkened, so that each
// has a contrast of 3 to 1 on white (WCAG 1.4.11), and its blue, so that it stands
// off from the sky; and a wine red.
var palette = [...]color.NRGBA{
	{0x00, 0x50, 0x8F, 255}, // blue
	{0xD5, 0x5E, 0x00, 255}, // vermilion
	{0x00, 0x8A, 0x64, 255}, // green
	{0xB6, 0x5C, 0x90, 255}, // purple
	{0x22, 0x22, 0x22, 255}, // black
	{0xB0, 0x78, 0x00, 255}, // ochre
	{0x2F, 0x8F, 0xCB, 255}, // sky
	{0x88, 0x22, 0x55, 255}, // wine
}

// markers are the shapes of points, and dashes those of lines: they tell series
// apart in grey.
var (
	markers = [...]shape{circle, square, triangle, diamond, down, cross, plus, star}
	dashes  = [...][]vg.Length{nil, {6, 2}, {3, 2}, {8, 2, 2, 2}, {4, 4}, {10, 3}, {5, 2, 1, 2}, {8, 2, 2, 2, 2, 2}}
)

// Identity is how a series looks.
type Identity struct{ color, marker int }

func (i Identity) ink() color.NRGBA { return palette[i.color] }
func (i Identity) shape() shape     { return markers[i.marker] }

// dashes are those of the lines of a series: by its marker, or for one of several
// that share it, by its own number.
func (s Series) dashes(look Identity) []vg.Length {
	if s.Of != "" {
		return dashes[s.Dash%len(dashes)]
	}
	return dashes[look.marker]
}

// Identities gives each name a look: by its hash, so that it looks the same in
// every report, unless another name of the list came to the same look. Names
// that collide take the next free one in the order of the alphabet. No two of
// up to MaxSeries names are alike; the first eight have colours of their own.
func Identities(names []string) map[string]Identity {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	out := make(map[string]Identity, len(sorted))
	taken := map[Identity]bool{}
	var later []string
	for _, name := range sorted { // who has its place by right, first
		if id := (Identity{home(name), home(name)}); !taken[id] {
			taken[id], out[name] = true, id
			continue
		}
		later = append(later, name)
	}
	for _, name := range later {
		id := Identity{home(name), home(name)}
		for n := range MaxSeries {
			k, round := (home(name)+n)%len(palette), n/len(palette)
			id = Identity{k, (k + round) % len(markers)}
			if !taken[id] {
				break
			}
		}
		taken[id], out[name] = true, id
	}
	return out
}

func home(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % uint32(len(palette)))
}

// Looks are the identities of the series of charts that are shown together: a
// name looks the same in all of them. If there are more names than looks, each
// chart has its own: nil.
func Looks(charts []*Chart) map[string]Identity {
	var names []string
	for _, c := range charts {
		names = append(names, c.seriesNames()...)
	}
	looks := Identities(names)
	if len(looks) > MaxSeries {
		return nil
	}
	return looks
}

func (c *Chart) seriesNames() []string {
	var names []string
	for ; c != nil && c.Kind != Heatmap; c = c.Below {
		for _, s := range c.Series {
			names = append(names, s.like())
		}
	}
	return names
}
