package raw

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// blocking is a connection whose calls block their thread. Go's own first try and
// then wait for the poller, which takes twice the system calls where all that
// there is to do is to wait for the answer.
type blocking struct {
	fd     int
	closed atomic.Bool
}

// newBlocking takes the connection over.
func newBlocking(conn net.Conn) (*blocking, error) {
	defer conn.Close()
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	var dupErr error
	if err := raw.Control(func(own uintptr) { fd, dupErr = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) }); err != nil || dupErr != nil {
		return nil, fmt.Errorf("blocking connection: %w", errors.Join(err, dupErr))
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, errors.Join(fmt.Errorf("blocking connection: %w", err), unix.Close(fd))
	}
	return &blocking{fd: fd}, nil
}

func (b *blocking) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(b.fd, p)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (b *blocking) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := unix.SendmsgN(b.fd, p[done:], nil, nil, unix.MSG_NOSIGNAL)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return done, err
		default:
			done += n
		}
	}
	return done, nil
}

// Close ends the connection, and whoever is blocked in it. The descriptor is
// freed by release, when nobody is.
func (b *blocking) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	if err := unix.Shutdown(b.fd, unix.SHUT_RDWR); err != nil && !errors.Is(err, unix.ENOTCONN) {
		return err
	}
	return nil
}

func (b *blocking) release() { unix.Close(b.fd) }
