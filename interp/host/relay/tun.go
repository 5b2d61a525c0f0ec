package relay

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoTUN says that the kernel offers no TUN devices.
var ErrNoTUN = errors.New("there is no /dev/net/tun: load the module tun, or give the container that device")

// NewTUN makes a TUN device of the given name in the network namespace of the
// calling thread. The device is gone when the file is closed, in every process
// that has it. It is down, and has no address.
func NewTUN(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EPERM) {
		return nil, fmt.Errorf("%w (%w)", ErrNoTUN, err)
	}
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun can't be opened: %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("device %s can't be made: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
