package host

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers/workertest"
	"versus/dsl"
)

// A priority that is not granted is said, and nothing is measured with another.
func TestPriorityNotGranted(t *testing.T) {
	urgent := -20
	for _, c := range []struct {
		p    dsl.Priority
		want string
	}{
		{dsl.Priority{Nice: new(int)}, ""},
		{dsl.Priority{Nice: &urgent}, "nice -20, which the system does not grant"},
		{dsl.Priority{Realtime: 7}, "realtime 7, which the system does not grant"},
	} {
		var limit unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_RTPRIO, &limit) == nil && limit.Cur > 0 || unix.Getrlimit(unix.RLIMIT_NICE, &limit) == nil && limit.Cur > 20 {
			workertest.Need(t, errors.New("this user is allowed to take priorities (ulimit -r, ulimit -e)"))
		}
		l, err := newLauncher(func() error {
			if err := giveUpRights(); err != nil {
				return err
			}
			return prioritise(c.p)
		})
		if err == nil {
			l.close()
		}
		if raw, _ := unix.Getpriority(unix.PRIO_PROCESS, 0); raw < 20 && c.want == "" {
			continue // started with a low priority
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.p, err, c.want)
		}
	}
}

// giveUpRights has the calling thread be like one that is not root's.
func giveUpRights() error {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&h, &none[0])
}
