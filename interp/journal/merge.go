package journal

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Part is a shard of a result that is merged.
type Part struct {
	Dir     string
	Shard   Shard
	Machine string // where it was measured
	Cells   int    // that have a run
	Runs    int
	Torn    bool // its last line was torn and is left out
}

// Merged says what Merge wrote.
type Merged struct {
	Header Header
	Parts  []Part // by number
	// Missing are the numbers of the shards that were not given.
	Missing []int
	// Files says which parts were run from other files than the first, in what
	// is not methodology: titles, tables, expectations.
	Files []string
}

// Merge joins the shards of one plan, each a journal in one of the folders, into
// one journal in the folder out, which must not exist or be empty. out is there
// only when all of it is on the disk: a Merge that is stopped half-way leaves
// out+".partial" at most, which the next one replaces.
//
// It refuses what does not belong together: journals that are no shards, of
// another plan, of another version of versus or of what was measured, a shard
// that is there twice or still being written, and cells that are in two shards.
// A shard may be missing or unfinished; the result is then one that Open can
// continue. Runs of several machines name theirs.
func Merge(out string, dirs []string) (*Merged, error) {
	if len(dirs) == 0 {
		return nil, errors.New("there is nothing to merge: name the folders of shards")
	}
	if err := checkOut(out); err != nil {
		return nil, err
	}
	m := &merger{cells: map[string]int{}}
	defer m.close()
	for _, dir := range dirs {
		if err := m.open(dir); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(m.sources, func(a, b *source) int { return cmp.Compare(a.Shard.Number, b.Shard.Number) })
	for i, s := range m.sources {
		if err := m.sources[0].check(s); err != nil {
			return nil, err
		}
		if i > 0 && m.sources[i-1].Shard.Number == s.Shard.Number {
			return nil, fmt.Errorf("%s and %s are both shard %s: leave one of them away", m.sources[i-1].Dir, s.Dir, &s.Shard)
		}
	}
	m.nameMachines()
	if err := m.write(out); err != nil {
		return nil, err
	}
	return m.merged(), nil
}

// checkOut returns an error if out is there and holds anything.
func checkOut(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the merged result can't be written: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("folder %s is not empty (it holds %q): choose another folder for the merged result", out, entries[0].Name())
	}
	return nil
}

// merger is what a Merge works with.
type merger struct {
	sources  []*source
	machines map[string]*Environment // nil if there is only one
	cells    map[string]int          // by key: the number of its shard
	records  int
}

// source is a shard with what its journal says.
type source struct {
	Part
	header      Header
	environment Environment
	runs        *os.File // locked
}

// open reads the head of a shard, and sees to it that nobody writes it meanwhile.
func (m *merger) open(dir string) error {
	h, e, err := readHead(dir)
	switch {
	case err != nil:
		return err
	case h.Shard == nil || e.Machines != nil:
		return fmt.Errorf("%s is no shard: it was not run with --shard, so that there is nothing to merge it with", dir)
	}
	f, err := os.Open(filepath.Join(dir, RunsFile))
	if err != nil {
		return fmt.Errorf("journal %s: %w", dir, err)
	}
	m.sources = append(m.sources, &source{Part{Dir: dir, Shard: *h.Shard}, h, e, f})
	// Where files can't be locked, nobody can have locked it either.
	if errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return fmt.Errorf("journal %s is in use: another versus is writing shard %s; merge when it is done", dir, h.Shard)
	}
	return nil
}

func (m *merger) close() {
	for _, s := range m.sources {
		s.runs.Close()
	}
}

// check returns why a shard does not belong to the first one.
func (s *source) check(o *source) error {
	refuse := func(what string, mine, theirs any) error {
		return fmt.Errorf("%s does not belong to %s: %s (%v, and %v there)", o.Dir, s.Dir, what, theirs, mine)
	}
	a, b := &s.header, &o.header
	switch {
	case a.Scenario != b.Scenario:
		return refuse("it is of another scenario", a.Scenario, b.Scenario)
	case a.Fingerprint != b.Fingerprint:
		return fmt.Errorf("%s does not belong to %s: the methodology is another one; to see how: versus diff %s %s", o.Dir, s.Dir, s.Dir, o.Dir)
	case a.Shard.Of != b.Shard.Of:
		return refuse("the plan was split in another way", a.Shard, b.Shard)
	case a.Cells != b.Cells || a.Runs != b.Runs:
		return refuse("the plan is another one", fmt.Sprintf("%d cells with %d runs", a.Cells, a.Runs), fmt.Sprintf("%d cells with %d runs", b.Cells, b.Runs))
	case a.Versus != b.Versus:
		return refuse("another version of versus measured it", a.Versus, b.Versus)
	}
	// What is missing on one machine was skipped there: the runs say so.
	theirs := o.environment
	theirs.Versions = maps.Clone(theirs.Versions)
	mine := s.environment
	mine.Versions = maps.Clone(mine.Versions)
	maps.DeleteFunc(theirs.Versions, func(name, _ string) bool { return mine.Versions[name] == "" })
	maps.DeleteFunc(mine.Versions, func(name, _ string) bool { return theirs.Versions[name] == "" })
	if c := mine.programChanges(&theirs); len(c) > 0 {
		return fmt.Errorf("%s does not belong to %s: other programs were measured (%s)", o.Dir, s.Dir, c[0])
	}
	return nil
}

// nameMachines finds the machines, and what each is called: its host's name, and
// a number where two have the same one.
func (m *merger) nameMachines() {
	found := map[string]*Environment{}
	for _, s := range m.sources {
		name := s.environment.Host
		if len(name) > maxMachineName/2 || !isMachineName(name) {
			name = "machine"
		}
		base := name
		for n := 2; found[name] != nil && len(found[name].machineChanges(&s.environment)) > 0; n++ {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		if found[name] == nil {
			found[name] = &s.environment
		}
		s.Machine = name
	}
	if len(found) > 1 {
		m.machines = found
	}
}

// header is that of the merged journal.
func (m *merger) header() Header {
	h := m.sources[0].header
	h.Format, h.Shard = Format, nil
	for _, s := range m.sources {
		if s.header.Created.Before(h.Created) {
			h.Created = s.header.Created
		}
	}
	return h
}

// environment is that of the merged journal.
func (m *merger) environment() Environment {
	e := m.sources[0].environment
	e.Machines = m.machines
	e.Versions = map[string]string{}
	for _, s := range m.sources {
		maps.Copy(e.Versions, s.environment.Versions)
	}
	return e
}

// merged says what was written.
func (m *merger) merged() *Merged {
	r := &Merged{Header: m.header()}
	for n, i := 1, 0; n <= m.sources[0].Shard.Of; n++ {
		if i == len(m.sources) || m.sources[i].Shard.Number != n {
			r.Missing = append(r.Missing, n)
			continue
		}
		s := m.sources[i]
		r.Parts = append(r.Parts, s.Part)
		if !maps.Equal(s.header.Sources, r.Header.Sources) || !maps.Equal(s.header.Variables, r.Header.Variables) {
			r.Files = append(r.Files, s.Dir)
		}
		i++
	}
	return r
}
