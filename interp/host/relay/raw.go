package relay

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls of the loop go past Go's scheduler. To it, each would be a
// chance to give the processor to another goroutine, of which there is none, and
// its watchdog would wake up for each: that took more than half of the CPU time.

// everySignal is blocked while the loop waits: Go's runtime sends one to whatever
// runs for long.
var everySignal = func() (set unix.Sigset_t) {
	for i := range set.Val {
		set.Val[i] = ^set.Val[i]
	}
	return set
}()

// wait waits until something can be read, or until the timeout, if there is one.
func wait(fds []unix.PollFd, timeout *unix.Timespec) error {
	const words = 8 // bytes of the kernel's set of signals
	_, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)),
		uintptr(unsafe.Pointer(timeout)), uintptr(unsafe.Pointer(&everySignal)), words, 0)
	return result(errno)
}

func read(fd int, buffer []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
	return int(n), result(errno)
}

func write(fd int, packet []byte) error {
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&packet[0])), uintptr(len(packet)))
	return result(errno)
}

func result(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
