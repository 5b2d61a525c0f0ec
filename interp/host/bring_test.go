package host

import (
	"strings"
	"testing"
)

func TestWhatTheLoaderMisses(t *testing.T) {
	const said = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibiceoryx_posh.so.2 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x0)\n\tlibiceoryx_posh.so.2 => not found\n" +
		"./w: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./w)\n"
	got := strings.Join(notFound([]byte(said)), "|")
	if want := "libiceoryx_posh.so.2|./w: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./w)"; got != want {
		t.Errorf("%q", got)
	}
}
