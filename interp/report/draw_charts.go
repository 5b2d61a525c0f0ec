package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"versus/interp/report/chart"
)

// DrawCharts writes each chart of the report as NAME.svg and NAME.png into a
// folder, which it makes, and returns the files. Files of these names are
// written over. A chart that can't be drawn keeps none of the others from it.
func DrawCharts(folder string, r *Report) (files []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("the folder for the charts: %w", err)
	}
	looks := chart.Looks(r.Charts)
	var problems []error
	for _, c := range r.Charts {
		var svg, png bytes.Buffer
		o := chart.Options{Looks: looks}
		if err := errors.Join(chart.SVG(&svg, c, o), chart.PNG(&png, c, o)); err != nil {
			problems = append(problems, err)
			continue
		}
		for _, f := range []struct {
			ending  string
			content []byte
		}{{".svg", svg.Bytes()}, {".png", png.Bytes()}} {
			name := filepath.Join(folder, c.Name+f.ending)
			if err := os.WriteFile(name, f.content, 0o644); err != nil {
				return files, err
			}
			files = append(files, name)
		}
	}
	return files, errors.Join(problems...)
}
