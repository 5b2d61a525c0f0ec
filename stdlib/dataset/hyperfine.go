package dataset

import "fmt"

// hyperfineSummary are the numbers that hyperfine computes over the runs of a
// command; all times in seconds.
var hyperfineSummary = []field{
	{"mean", "mean", "s"}, {"stddev", "stddev", "s"}, {"median", "median", "s"}, {"min", "min", "s"},
	{"max", "max", "s"}, {"user", "user", "s"}, {"system", "system", "s"},
}

// readHyperfine reads what `hyperfine --export-json` writes (1.0 to 1.20).
//
// Each command has a row a run, scope "run", with its time (s), its number in
// run and, in newer files, its exit_code and memory (B, peak resident set);
// then one row of scope "summary" with hyperfine's own mean, stddev, median,
// min, max, user and system (s; absent in the file if there was one run). A
// parameter NAME is the column parameter_NAME, with a number where it is one.
func readHyperfine(src []byte, _ Options) (*Table, error) {
	d, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	results, err := d.list(d.root, "results")
	if err != nil {
		return nil, err
	}
	if results == nil {
		return nil, d.fail(d.root, `there is no "results"; this is not what hyperfine --export-json writes`)
	}
	s := newSheet("scope", "command", "run", "time", "exit_code", "memory")
	for _, r := range results {
		if err := d.command(s, r); err != nil {
			return nil, err
		}
	}
	return s.table()
}

// command adds the rows of one command.
func (d *document) command(s *sheet, r jsonValue) error {
	command, ok := r.get("command")
	if !ok || command.kind != '"' {
		return d.fail(r, "a result has no command")
	}
	times, err := d.list(r, "times")
	if err != nil {
		return err
	}
	codes, err := d.perRun(r, "exit_codes", times)
	if err != nil {
		return err
	}
	memory, err := d.perRun(r, "memory_usage_byte", times)
	if err != nil {
		return err
	}
	for i, v := range times {
		row, err := d.commandRow(s, r, "run", command)
		if err != nil {
			return err
		}
		s.set(row, "run", float64(i+1))
		if err := d.run(s, row, v, codes, memory, i); err != nil {
			return err
		}
	}
	row, err := d.commandRow(s, r, "summary", command)
	if err != nil {
		return err
	}
	if _, ok := r.get("mean"); !ok {
		return d.fail(r, "the result of %.40q has no mean", command.text)
	}
	return d.copy(s, row, r, hyperfineSummary)
}

// run sets what one run of a command has of its own.
func (d *document) run(s *sheet, row map[string]any, v jsonValue, codes, memory []jsonValue, i int) error {
	time, err := d.amount(v, "a time", "s")
	if err != nil {
		return err
	}
	s.set(row, "time", time)
	if codes != nil && codes[i].kind != 'n' { // null: ended by a signal
		code, err := d.number(codes[i], "an exit code", "")
		if err != nil {
			return err
		}
		s.set(row, "exit_code", code)
	}
	if memory != nil && memory[i].kind != 'n' {
		bytes, err := d.amount(memory[i], "memory_usage_byte", "B")
		if err != nil {
			return err
		}
		s.set(row, "memory", bytes)
	}
	return nil
}

// perRun returns an array that must have an item a run, if it is there at all.
func (d *document) perRun(r jsonValue, key string, times []jsonValue) ([]jsonValue, error) {
	items, err := d.list(r, key)
	if err == nil && items != nil && times != nil && len(items) != len(times) {
		return nil, d.fail(r, "there are %s and %s; the file is damaged or mixed", count(len(times), "time"), fmt.Sprint(len(items), " ", key))
	}
	return items, err
}

func (d *document) commandRow(s *sheet, r jsonValue, scope string, command jsonValue) (map[string]any, error) {
	row, err := s.add(placeOf(d.src, r.at))
	if err != nil {
		return nil, err
	}
	s.set(row, "scope", scope)
	s.set(row, "command", command.text)
	parameters, ok := r.get("parameters")
	if !ok {
		return row, nil
	}
	if parameters.kind != '{' {
		return nil, d.fail(parameters, "parameters must be an object")
	}
	for i, name := range parameters.keys {
		v := parameters.items[i]
		if v.kind != '"' && v.kind != '0' {
			return nil, d.fail(v, "the parameter %.40q must be a text", name)
		}
		s.set(row, "parameter_"+name, numberOrText(v.text))
	}
	return row, nil
}
