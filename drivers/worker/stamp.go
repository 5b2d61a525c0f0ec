package worker

import "encoding/binary"

// StampSize is the number of bytes at the beginning of each published message
// that the kit needs for itself. A driver's Check must refuse a pubsub payload
// that is smaller.
const StampSize = 32

// stampMagic tells our messages from those of others: "vrs1".
const stampMagic = 0x31737276

// stamp is what the beginning of a message says about it. Its layout, all
// little endian: magic (4 bytes), measured (1), unused (1), topic (2),
// sequence (8), due (8), sent (8).
type stamp struct {
	measured bool   // sent in the window, not in the warm-up
	topic    uint16 // from 0
	sequence uint64 // in the topic, from 0 in each phase
	due      int64  // CLOCK_MONOTONIC, ns
	sent     int64  // CLOCK_MONOTONIC, ns; equal to due without a schedule
}

// write puts the stamp at the beginning of a message of at least StampSize.
func (s stamp) write(b []byte) {
	_ = b[StampSize-1]
	binary.LittleEndian.PutUint32(b, stampMagic)
	b[4], b[5] = 0, 0
	if s.measured {
		b[4] = 1
	}
	binary.LittleEndian.PutUint16(b[6:], s.topic)
	binary.LittleEndian.PutUint64(b[8:], s.sequence)
	binary.LittleEndian.PutUint64(b[16:], uint64(s.due))
	binary.LittleEndian.PutUint64(b[24:], uint64(s.sent))
}

// readStamp returns the stamp of a message, if it has one.
func readStamp(b []byte) (stamp, bool) {
	if len(b) < StampSize || binary.LittleEndian.Uint32(b) != stampMagic || b[4] > 1 {
		return stamp{}, false
	}
	return stamp{
		measured: b[4] == 1,
		topic:    binary.LittleEndian.Uint16(b[6:]),
		sequence: binary.LittleEndian.Uint64(b[8:]),
		due:      int64(binary.LittleEndian.Uint64(b[16:])),
		sent:     int64(binary.LittleEndian.Uint64(b[24:])),
	}, true
}
