package worker

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// subscription counts what a subscriber receives and records one-way latencies.
type subscription struct {
	topics  []*received
	paced   bool // messages had a time when they were due
	size    int  // of each message, bytes
	foreign atomic.Int64
	wanted  atomic.Int64 // messages to wait for, plus 1; 0 while nobody waits
	done    chan struct{}
}

// received is what arrived on one topic. Only messages of the window count.
type received struct {
	mu          sync.Mutex // contended only when the results are read
	latency     *recorder  // from when it was due
	service     *recorder  // from when it was sent
	windows     *windows
	byNumber    bool    // windows are cut by messages, not by time
	length      float64 // of the extent in ns, if by time
	seen        sequences
	count       int64 // different messages
	duplicated  int64
	reordered   int64
	negative    int64
	wrongSize   int64
	implausible int64
}

func newSubscription(w drivers.Workload) *subscription {
	s := &subscription{paced: w.Rate > 0, size: len(w.Payload.Content()), done: make(chan struct{}, 1)}
	n := max(w.Topics, 1)
	for i := range n {
		t := &received{latency: newRecorder(w.Topics), service: newRecorder(w.Topics), windows: newWindows(),
			byNumber: w.Measure.Calls > 0, length: w.Measure.Seconds * 1e9}
		if t.byNumber {
			t.windows.begin(windowsIn(w.Measure, n), 0, float64(share(w.Measure.Calls, i, n)))
		}
		s.topics = append(s.topics, t)
	}
	return s
}

// receive takes one message. It is what a driver calls, from one goroutine at
// a time for each topic.
func (s *subscription) receive(topic int, message []byte) {
	at := shared(now())
	stamp, ok := readStamp(message)
	if !ok || topic < 0 || topic >= len(s.topics) || int(stamp.topic) != topic {
		s.foreign.Add(1)
		return
	}
	if !stamp.measured {
		return
	}
	t := s.topics[topic]
	t.mu.Lock()
	t.take(stamp, at, len(message) == s.size)
	t.mu.Unlock()
	if s.wanted.Load() != 0 {
		s.check()
	}
}

func (t *received) take(s stamp, at int64, sized bool) {
	isNew, inOrder, ok := t.seen.add(s.sequence)
	switch {
	case !ok:
		t.implausible++
		return
	case !isNew:
		t.duplicated++
		return
	case !inOrder:
		t.reordered++
	}
	if t.count++; t.count == 1 && !t.byNumber { // nothing else says when the window began
		t.windows.begin(protocol.MaxWindows, s.due, t.length)
	}
	if !sized {
		t.wrongSize++
	}
	if at < s.sent || at < s.due {
		t.negative++
		return
	}
	t.latency.record(at - s.due)
	t.service.record(at - s.sent)
	if t.byNumber {
		t.windows.record(int64(s.sequence), at-s.due)
	} else {
		t.windows.record(s.due, at-s.due)
	}
}

// check wakes await when enough has arrived.
func (s *subscription) check() {
	if s.count() >= s.wanted.Load()-1 {
		select {
		case s.done <- struct{}{}:
		default:
		}
	}
}

func (s *subscription) count() (n int64) {
	for _, t := range s.topics {
		t.mu.Lock()
		n += t.count
		t.mu.Unlock()
	}
	return n
}

// await waits until sent messages have arrived, the time is over or stop is closed.
func (s *subscription) await(sent int64, limit time.Duration, stop <-chan struct{}) {
	s.wanted.Store(sent + 1)
	s.check()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	case <-stop:
	}
}

// report writes what arrived of the sent messages.
func (s *subscription) report(r *protocol.Result, sent int64) (err error) {
	var latency, service []*recorder
	var ws []*windows
	var gaps, wrongSize, implausible int64
	for _, t := range s.topics {
		t.mu.Lock()
		defer t.mu.Unlock() // a late message must not change what is read below
		latency, service = append(latency, t.latency), append(service, t.service)
		ws = append(ws, t.windows)
		r.Received += t.count
		r.Duplicated += t.duplicated
		r.Reordered += t.reordered
		r.Negative += t.negative
		gaps += t.seen.highest - t.count
		wrongSize += t.wrongSize
		implausible += t.implausible
	}
	// Gaps in the sequence miss the losses at its end; the number sent tells all.
	r.Lost = max(gaps, sent-r.Received)
	for _, f := range []struct {
		n    int64
		text string
	}{
		{wrongSize, "%d messages had not the payload's size"},
		{implausible, "%d messages had an implausible sequence number and were left out"},
		{s.foreign.Load(), "%d messages were not ours or came on another topic, and were left out"},
		{r.Received - sent, "%d more messages arrived than were reported as sent"},
	} {
		if f.n > 0 {
			r.Flags = append(r.Flags, fmt.Sprintf(f.text, f.n))
		}
	}
	r.Windows = addWindows(ws...)
	if r.Latency, err = distribution(latency...); err != nil || !s.paced {
		return err
	}
	r.Service, err = distribution(service...)
	return err
}

// sequences remembers which of the numbers from 0 have been seen.
type sequences struct {
	highest int64 // the highest seen, plus 1
	chunks  []*[chunkBits / 64]uint64
}

const (
	chunkBits = 1 << 16
	// maxGap bounds a jump of the sequence, and so the memory that a damaged
	// number can claim.
	maxGap = 1 << 26
)

// add marks n. It reports whether n is new, and whether it is higher than all
// before. ok is false for a number that is too far ahead to be true.
func (s *sequences) add(n uint64) (isNew, inOrder, ok bool) {
	if n >= uint64(s.highest)+maxGap {
		return false, false, false
	}
	for int(n/chunkBits) >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	chunk := s.chunks[n/chunkBits]
	if chunk == nil {
		chunk = new([chunkBits / 64]uint64)
		s.chunks[n/chunkBits] = chunk
	}
	word, bit := &chunk[n%chunkBits/64], uint64(1)<<(n%64)
	isNew = *word&bit == 0
	*word |= bit
	inOrder = int64(n) >= s.highest
	if inOrder {
		s.highest = int64(n) + 1
	}
	return isNew, inOrder, true
}
