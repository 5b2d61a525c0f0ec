package raw

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is shared by the processes of a run. It has no name: the others open
// it through /proc, and it is gone with the last of them.
type memory struct {
	file  *os.File
	bytes []byte
}

// createMemory returns new memory, all of it in place: the first touch of a page
// must not be measured.
func createMemory(size int) (*memory, error) {
	fd, err := unix.MemfdCreate("versus", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	m := &memory{file: os.NewFile(uintptr(fd), "memory")}
	if err := m.file.Truncate(int64(size)); err != nil {
		return nil, errors.Join(fmt.Errorf("shared memory of %d bytes: %w", size, err), m.file.Close())
	}
	return m, m.mapAll(size)
}

// path is where other processes of this machine and user find it.
func (m *memory) path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), m.file.Fd()) }

func openMemory(path string, size int) (*memory, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("shared memory of the other process: %w", err)
	}
	m := &memory{file: f}
	if info, err := f.Stat(); err != nil || info.Size() != int64(size) {
		return nil, errors.Join(fmt.Errorf("%s is no memory of %d bytes", path, size), err, f.Close())
	}
	return m, m.mapAll(size)
}

func (m *memory) mapAll(size int) (err error) {
	m.bytes, err = unix.Mmap(int(m.file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return errors.Join(fmt.Errorf("shared memory: %w", err), m.file.Close())
	}
	return nil
}

// close leaves the memory mapped: somebody may still be waiting in it. It goes
// with the process.
func (m *memory) close() error { return m.file.Close() }

// control is the head of a ring in memory, each word on a cache line of its own.
type control struct {
	written     atomic.Uint32 // messages put in, modulo 2^32; the reader's futex
	_           [60]byte
	read        atomic.Uint32 // messages taken out; the writer's futex
	_           [60]byte
	readerWaits atomic.Uint32 // 1 while the reader sleeps, or is about to
	_           [60]byte
	writerWaits atomic.Uint32
	_           [60]byte
}

const lineSize = 64 // of the cache, bytes

// ring is one end of a ring, which carries the messages of one writer to one
// reader, in order.
type ring struct {
	*control
	slots  uint32 // a power of 2, so that the counts may overflow
	slot   int    // bytes, with the length of its message
	data   []byte
	spin   time.Duration // before sleeping
	broken func() error  // asked now and then while waiting
	err    error         // what it said: it is not waited for again
}

// ringSize is the memory of a ring, in bytes.
func ringSize(slots, size int) int {
	return int(unsafe.Sizeof(control{})) + slots*slotSize(size)
}

func slotSize(size int) int { return (8 + size + lineSize - 1) / lineSize * lineSize }

// ringAt returns the ring in memory that begins with zeros, or with its control.
func ringAt(b []byte, slots, size int, spin time.Duration, broken func() error) *ring {
	return &ring{
		control: (*control)(unsafe.Pointer(&b[0])), slots: uint32(slots), slot: slotSize(size),
		data: b[unsafe.Sizeof(control{}):ringSize(slots, size)], spin: spin, broken: broken,
	}
}

func (r *ring) at(n uint32) []byte {
	i := int(n%r.slots) * r.slot
	return r.data[i : i+r.slot]
}

// put copies a message into the ring. While that is full it waits.
func (r *ring) put(message []byte) error {
	n := r.written.Load()
	for read := r.read.Load(); n-read == r.slots; read = r.read.Load() {
		if err := r.await(&r.read, read, &r.writerWaits); err != nil {
			return err
		}
	}
	slot := r.at(n)
	*(*uint32)(unsafe.Pointer(&slot[0])) = uint32(len(message))
	copy(slot[8:], message)
	r.written.Store(n + 1)
	if r.readerWaits.Load() != 0 {
		wake(&r.written)
	}
	return nil
}

// peek waits for a message and returns it, in the ring, until take is called.
func (r *ring) peek() ([]byte, error) {
	n := r.read.Load()
	for r.written.Load() == n {
		if err := r.await(&r.written, n, &r.readerWaits); err != nil {
			return nil, err
		}
	}
	slot := r.at(n)
	length := int(*(*uint32)(unsafe.Pointer(&slot[0])))
	if length > len(slot)-8 {
		return nil, fmt.Errorf("a message of %d bytes in a slot of %d", length, len(slot)-8)
	}
	return slot[8 : 8+length], nil
}

// take frees the slot of the message that peek returned.
func (r *ring) take() {
	r.read.Store(r.read.Load() + 1)
	if r.writerWaits.Load() != 0 {
		wake(&r.read)
	}
}

// slice is how long a wait sleeps before it looks whether the other end is still there.
const slice = 50 * time.Millisecond

// pausesAtOnce is how often await pauses between two readings of the clock.
const pausesAtOnce = 32

// await returns when the word is no longer old, or earlier: it spins for a
// while, then sleeps. Who changes the word wakes only who says that it sleeps.
func (r *ring) await(word *atomic.Uint32, old uint32, waits *atomic.Uint32) error {
	if r.err != nil {
		return r.err
	}
	if r.spin > 0 {
		for start := time.Now(); ; {
			for range pausesAtOnce {
				if word.Load() != old {
					return nil
				}
				pause()
			}
			if time.Since(start) >= r.spin {
				break
			}
		}
	}
	waits.Store(1)
	defer waits.Store(0)
	if word.Load() != old {
		return nil
	}
	timeout := unix.NsecToTimespec(int64(slice))
	// An ordinary system call: with the raw one as many goroutines as there are
	// processors would block each other for ever.
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(old), uintptr(unsafe.Pointer(&timeout)), 0, 0)
	switch errno {
	case 0, unix.EAGAIN, unix.EINTR:
		return nil
	case unix.ETIMEDOUT:
		r.err = r.broken()
		return r.err
	}
	return fmt.Errorf("futex: %w", errno)
}

// futex(2), between processes.
const (
	futexWait = 0
	futexWake = 1
)

func wake(word *atomic.Uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0, 0, 0)
}
