package relay

import (
	"math/rand/v2"
	"time"
)

// Capacity is how many packets may be under way in one direction. One more is
// dropped, and counted.
const Capacity = 32768

// MTU is the largest packet that passes, in bytes.
const MTU = 1500

// Settings say what happens to packets, in either direction alike.
type Settings struct {
	// Delay is how long a packet is under way.
	Delay time.Duration `json:"delay"`
	// Jitter is how much longer or shorter, at most: any delay within is equally
	// likely, as with netem. It is not above Delay. Packets stay in order: one
	// that would overtake another is due with it.
	Jitter time.Duration `json:"jitter"`
	// Loss is the probability that a packet is lost, each for itself, 0 to 1.
	Loss float64 `json:"loss"`
}

// Counts are what became of packets, by direction: from the first device to the
// second, and back.
type Counts struct {
	Passed  [2]int64 `json:"passed"`
	Lost    [2]int64 `json:"lost"`    // as the settings ask for
	Dropped [2]int64 `json:"dropped"` // more than Capacity were under way, or the device took it not
	// Late is how much after they were due packets went on, in seconds: on
	// average, and the worst.
	LateMean float64 `json:"late_mean"`
	LateMax  float64 `json:"late_max"`
	CPU      float64 `json:"cpu"` // seconds that the relay used
}

// lane is one direction. Packets are in a ring of slots that are allocated once.
type lane struct {
	settings Settings // of packets that come from now on
	random   *rand.Rand
	slots    []byte
	due      [Capacity]int64 // nanoseconds of the relay's clock
	size     [Capacity]int
	first    int   // slot of the oldest packet
	count    int   // packets under way
	last     int64 // when the newest one is due

	passed, lost, dropped int64
	late, worst           int64 // nanoseconds, summed up and at most
}

// newLane is a lane without delay. number tells those with the same seed apart.
func newLane(seed, number uint64) *lane {
	return &lane{slots: make([]byte, Capacity*MTU), random: rand.New(rand.NewPCG(seed, number))}
}

// slot is where the next packet is to be written, nil if there is no room.
func (l *lane) slot() []byte {
	if l.count == Capacity {
		return nil
	}
	if l.count == 0 {
		l.first = 0 // a short queue uses the same few pages, which stay in the cache
	}
	at := (l.first + l.count) % Capacity
	return l.slots[at*MTU : (at+1)*MTU]
}

// accept takes the packet of n bytes that was written into slot, or loses it.
func (l *lane) accept(n int, now int64) {
	s := &l.settings
	if s.Loss > 0 && l.random.Float64() < s.Loss {
		l.lost++
		return
	}
	due := now + int64(s.Delay)
	if s.Jitter > 0 {
		due += l.random.Int64N(2*int64(s.Jitter)+1) - int64(s.Jitter)
	}
	l.last = max(l.last, due)
	at := (l.first + l.count) % Capacity
	l.due[at], l.size[at] = l.last, n
	l.count++
}

// next is the oldest packet and when it is due; nil if there is none.
func (l *lane) next() (packet []byte, due int64) {
	if l.count == 0 {
		return nil, 0
	}
	return l.slots[l.first*MTU : l.first*MTU+l.size[l.first]], l.due[l.first]
}

// sent removes the packet that next returned, and counts it by whether the
// device took it.
func (l *lane) sent(now int64, taken bool) {
	if taken {
		late := now - l.due[l.first]
		l.passed++
		l.late += late
		l.worst = max(l.worst, late)
	} else {
		l.dropped++
	}
	l.first = (l.first + 1) % Capacity
	l.count--
}

// counts returns what both lanes did since it was last asked.
func counts(lanes [2]*lane) Counts {
	var c Counts
	var late int64
	for i, l := range lanes {
		c.Passed[i], c.Lost[i], c.Dropped[i] = l.passed, l.lost, l.dropped
		c.LateMax = max(c.LateMax, float64(l.worst)/1e9)
		late += l.late
		l.passed, l.lost, l.dropped, l.late, l.worst = 0, 0, 0, 0, 0
	}
	if n := c.Passed[0] + c.Passed[1]; n > 0 {
		c.LateMean = float64(late) / 1e9 / float64(n)
	}
	return c
}
