package dsl

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"versus/dsl/spell"
	"versus/stdlib/units"
)

// requirable is what a host can be required to have: how each is written, and
// how it is read.
var requirable = map[string]struct {
	example string
	read    func(r *Require, value any) error
}{
	"governor": {`"performance"`, readGovernor},
	"cores":    {`4`, readCores},
	"memory":   {`"8GiB"`, readMemory},
	"kernel":   {`"6.1"`, readKernel},
	"binaries": {`["tc", "mosquitto"]`, readBinaries},
}

// require reads what a host must have.
func (l *loader) require(n *node) (r Require) {
	wanted, _ := l.get(n, "require").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		rng := n.attr("require").expr.Range()
		kind, ok := requirable[name]
		if !ok {
			l.fail(&rng, "Invalid value of require", "A host can't be required to have %q%s", name, suggest(name, slices.Collect(maps.Keys(requirable))))
			continue
		}
		if err := kind.read(&r, wanted[name]); err != nil {
			l.fail(&rng, "Invalid value of require", "%s Write %s as in { %s = %s }.", sentence(err), name, name, kind.example)
		}
	}
	return r
}

// governors are those of Linux; drivers of some systems have others.
var governors = []string{"conservative", "ondemand", "performance", "powersave", "schedutil", "userspace"}

func readGovernor(r *Require, value any) error {
	name, ok := value.(string)
	if !ok || name == "" {
		return errors.New("a governor is named by a text")
	}
	if near := spell.Nearest(name, governors); near != "" && !slices.Contains(governors, name) {
		return fmt.Errorf("Linux has no governor %q; did you mean %q?", name, near)
	}
	r.Governor = name
	return nil
}

func readCores(r *Require, value any) error {
	n, ok := value.(float64)
	if !ok || n != math.Trunc(n) || n < 1 || n > 1e6 {
		return errors.New("cores are a whole number, 1 or more")
	}
	r.Cores = int(n)
	return nil
}

func readMemory(r *Require, value any) error {
	var err error
	bytes, ok := value.(float64)
	if text, isText := value.(string); isText {
		bytes, err = units.Size(text)
		ok = err == nil
	}
	if err != nil {
		return err
	}
	if !ok || bytes != math.Trunc(bytes) || bytes < 1 || bytes > 1<<50 {
		return errors.New("memory is a size of 1 byte or more")
	}
	r.Memory = int64(bytes)
	return nil
}

// kernelVersion is how far a kernel's version can be compared.
var kernelVersion = regexp.MustCompile(`^[0-9]{1,4}(\.[0-9]{1,4}){0,2}$`)

func readKernel(r *Require, value any) error {
	text, ok := value.(string)
	if !ok {
		return errors.New("a version is a text, since 6.10 is not 6.1")
	}
	if !kernelVersion.MatchString(text) {
		return fmt.Errorf("%q is no version of a kernel", text)
	}
	r.Kernel = text
	return nil
}

func readBinaries(r *Require, value any) error {
	list, ok := value.([]any)
	for _, v := range list {
		name, isText := v.(string)
		if !isText || name == "" || strings.ContainsAny(name, "\x00\n") || strings.Contains(name, "/") && !strings.HasPrefix(name, "/") {
			return fmt.Errorf("%v is neither the name of a program nor its full path", v)
		}
		r.Binaries = append(r.Binaries, name)
	}
	if !ok || len(list) == 0 {
		return errors.New("binaries are a list of names of programs")
	}
	return nil
}
