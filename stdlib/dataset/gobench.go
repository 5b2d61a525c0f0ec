package dataset

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readGoBench reads what `go test -bench` prints, which is also what benchstat
// reads (golang.org/design/14313-benchmark-format).
//
// Each result line is a row: name (without "Benchmark" and the "-8"), procs
// (the 8; absent means that the line has none), the parts of the name that are
// KEY=VALUE as columns of their own, the configuration lines above it (goos,
// pkg, ...) as texts, iterations, and a column a unit. Units are brought to SI:
// ns/op becomes s/op and MB/s becomes B/s, as do other units whose numerator
// is ns, us or ms; all else stays as it is. Lines that are neither results nor
// configuration are passed over, as the format says; a result line that is cut
// is an error.
func readGoBench(src []byte, _ Options) (*Table, error) {
	src, err := text(src)
	if err != nil {
		return nil, err
	}
	s := newSheet("name", "procs", "iterations")
	config := map[string]string{}
	var keys []string // of config, in order
	for n, line := range bytes.Split(src, []byte("\n")) {
		l := strings.TrimSuffix(string(line), "\r")
		if key, value, ok := configLine(l); ok {
			if _, old := config[key]; !old {
				keys = append(keys, key)
			}
			config[key] = value
			continue
		}
		words := fields(l, n+1)
		if !isResult(words) {
			continue
		}
		row, err := s.add(words[0].at)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if config[key] != "" {
				s.set(row, key, config[key])
			}
		}
		if err := benchLine(s, row, words); err != nil {
			return nil, err
		}
	}
	if len(s.rows) == 0 {
		return nil, &Error{Text: "there is no result line (BenchmarkName 1000 12.3 ns/op); this is not the output of go test -bench"}
	}
	return s.table()
}

// configLine reads "key: value": a key begins with a lower-case letter and has
// neither spaces nor upper-case letters.
func configLine(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	first, _ := utf8.DecodeRuneInString(key)
	if !ok || !unicode.IsLower(first) || len(key) > 100 ||
		strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsUpper(r) }) {
		return "", "", false
	}
	if value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return key, strings.TrimSpace(value), true
}

// fields splits a line at spaces.
func fields(line string, n int) []cell {
	var words []cell
	for i := 0; i < len(line); {
		word := strings.IndexFunc(line[i:], func(r rune) bool { return !unicode.IsSpace(r) })
		if word < 0 {
			break
		}
		i += word
		end := strings.IndexFunc(line[i:], unicode.IsSpace)
		if end < 0 {
			end = len(line) - i
		}
		words = append(words, cell{line[i : i+end], place{n, i + 1}, true})
		i += end
	}
	return words
}

// isResult tells a result from a log line that begins like one: the name of
// the benchmark is followed by the number of iterations.
func isResult(words []cell) bool {
	if len(words) < 2 || words[0].at.column != 1 || !strings.HasPrefix(words[0].text, "Benchmark") {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(words[0].text, "Benchmark"))
	return !unicode.IsLower(next) && words[1].text[0] >= '0' && words[1].text[0] <= '9'
}

func benchLine(s *sheet, row map[string]any, words []cell) error {
	if err := benchName(s, row, words[0]); err != nil {
		return err
	}
	iterations, err := strconv.ParseInt(words[1].text, 10, 64)
	if err != nil {
		return errorAt(words[1].at, "%.40q is not a number of iterations", words[1].text)
	}
	s.set(row, "iterations", float64(iterations))
	if len(words) < 4 || len(words)%2 != 0 {
		return errorAt(words[len(words)-1].at, "the result line ends in the middle: after the iterations come pairs of value and unit")
	}
	for i := 2; i < len(words); i += 2 {
		value, unit := words[i], words[i+1].text
		if !decimal.MatchString(value.text) {
			return errorAt(value.at, "%.40q is not a finite number", value.text)
		}
		name, scale := siUnit(unit)
		v, err := strconv.ParseFloat(value.text, 64)
		if v /= scale; err != nil || math.IsInf(v, 0) {
			return errorAt(value.at, "%.40s is beyond the range of numbers", value.text)
		}
		if v < 0 && scale != 1 {
			return errorAt(value.at, "a time or rate is negative: %.40s %.40s", value.text, unit)
		}
		if _, twice := row[name]; twice {
			return errorAt(value.at, "there is already a value of %.40q in this line", name)
		}
		s.set(row, name, v)
	}
	return nil
}

// benchName takes a name apart: "Encode/codec=gzip/size=1024-8".
func benchName(s *sheet, row map[string]any, word cell) error {
	name := strings.TrimPrefix(word.text, "Benchmark")
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		if procs, err := strconv.ParseUint(name[i+1:], 10, 31); err == nil {
			name = name[:i]
			s.set(row, "procs", float64(procs))
		}
	}
	s.set(row, "name", name)
	for _, part := range strings.Split(name, "/")[1:] {
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" {
			continue
		}
		if _, taken := row[key]; taken || slices.Contains([]string{"procs", "iterations"}, key) {
			return errorAt(word.at, "%.40q in the name of the benchmark is already the name of another column", key)
		}
		s.set(row, key, numberOrText(value))
	}
	return nil
}

// siUnit brings a unit to SI and says by what to divide its values.
func siUnit(unit string) (string, float64) {
	if unit == "MB/s" { // of package testing: 1e6 bytes
		return "B/s", 1e-6
	}
	numerator, rest := unit, ""
	if i := strings.IndexByte(unit, '/'); i >= 0 {
		numerator, rest = unit[:i], unit[i:]
	}
	head := ""
	if i := strings.LastIndexByte(numerator, '-'); i >= 0 { // p99-ns
		head, numerator = numerator[:i+1], numerator[i+1:]
	}
	switch numerator {
	case "ns":
		return head + "s" + rest, 1e9
	case "us", "µs", "μs":
		return head + "s" + rest, 1e6
	case "ms":
		return head + "s" + rest, 1e3
	}
	return unit, 1
}
