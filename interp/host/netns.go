package host

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// namespace is a host "netns": a network of its own, and a /dev/shm of its own,
// so that roles on two such hosts share no memory unseen. It has no name in the
// file system. The kernel keeps it as long as the launcher's thread or a process
// in it lives, so that nothing can be left behind, however versus ends.
type namespace struct {
	*launcher
	host    string // name of the host
	address string // at which others reach it
}

// errNotRoot is why there are no namespaces.
var errNotRoot = errors.New("only root may make a network namespace: run versus as root")

// newNamespace makes the namespace of a host, with nothing in it but loopback and
// a device that has the host's address and leads nowhere: from an address of
// loopback some middleware talks to nobody elsewhere, as Cyclone DDS. number tells
// the hosts of a run of versus apart, from 1.
func newNamespace(host string, number int) (*namespace, error) {
	if _, err := exec.LookPath("ip"); err != nil {
		return nil, errors.New("the program ip is missing; to get it: apt-get install iproute2")
	}
	l, err := newLauncher(isolate)
	if err != nil {
		return nil, err
	}
	// 198.18.0.0/15 is for benchmarks (RFC 2544); outside, nobody sees it.
	n := &namespace{l, host, fmt.Sprintf("198.18.%d.%d", number/250, number%250+1)}
	for _, args := range []string{
		"link set lo up",
		"link add host type veth peer name host-end",
		"link set host up",
		"link set host-end up",
		"address add " + n.address + "/32 dev host",
	} {
		if err := n.tool("ip", strings.Fields(args)...); err != nil {
			n.close()
			return nil, err
		}
	}
	return n, nil
}

// isolate gives the calling thread a network and mounts of its own.
func isolate() error {
	err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_FS)
	if errors.Is(err, unix.EPERM) {
		return errNotRoot
	}
	if err != nil {
		return fmt.Errorf("the kernel makes no network namespace: %w", err)
	}
	// Private first: what is mounted here must not appear outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("the mounts of the namespace can't be made private: %w", err)
	}
	if err := unix.Mount("versus", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
		return fmt.Errorf("the namespace gets no /dev/shm of its own: %w", err)
	}
	return nil
}

// tool runs a program in the namespace, and returns what it complains about.
func (n *namespace) tool(name string, args ...string) error {
	_, err := n.output(name, args...)
	return err
}

// output runs a program in the namespace, and returns what it says.
func (n *namespace) output(name string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := n.start(cmd, nil); err != nil {
		return nil, fmt.Errorf("host %q: %s: %w", n.host, name, err)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("host %q: %s %s: %s", n.host, name, strings.Join(args, " "), Clip(strings.TrimSpace(out.String())))
	}
	return out.Bytes(), nil
}

// file is where others find the network of the namespace.
func (n *namespace) file() string {
	return fmt.Sprintf("/proc/%d/task/%d/ns/net", unix.Getpid(), n.tid)
}

// connect lays a cable between two namespaces. Each host has one address,
// whatever it is connected to, and reaches each other host through a device of its own,
// so that a link limits what passes between two hosts and nothing else.
func connect(a, b *namespace) error {
	return errors.Join(
		a.tool("ip", "link", "add", a.device(b), "type", "veth", "peer", "name", b.device(a), "netns", b.file()),
		a.route(b), b.route(a))
}

// device is the name of the device that leads to the other.
func (n *namespace) device(to *namespace) string {
	return "to" + strings.ReplaceAll(strings.TrimPrefix(to.address, "198.18."), ".", "-")
}

func (n *namespace) route(to *namespace) error {
	if err := n.tool("ip", "link", "set", n.device(to), "up"); err != nil {
		return err
	}
	return n.tool("ip", "route", "add", to.address+"/32", "dev", n.device(to), "src", n.address)
}
