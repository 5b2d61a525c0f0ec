//! What the beginning of a published message says about it.

/// Stamp is the first 32 bytes of a message, the same as the Go kit's
/// (drivers/worker/stamp.go).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamp {
    pub measured: bool, // sent in the window, not in the warm-up
    pub topic: u16,
    pub sequence: u64, // in the topic, from 0 in each phase
    pub due: i64,      // CLOCK_MONOTONIC, ns
    pub sent: i64,     // CLOCK_MONOTONIC, ns; equal to due without a schedule
}

/// Tells our messages from those of others: "vrs1".
const MAGIC: u32 = 0x31737276;

impl Stamp {
    /// The number of bytes of a stamp; a smaller payload can't be published.
    pub const SIZE: usize = 32;

    /// write puts the stamp at the beginning of a message of at least SIZE bytes.
    pub fn write(&self, b: &mut [u8]) {
        b[..4].copy_from_slice(&MAGIC.to_le_bytes());
        b[4..6].copy_from_slice(&[self.measured.into(), 0]);
        b[6..8].copy_from_slice(&self.topic.to_le_bytes());
        b[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        b[16..24].copy_from_slice(&self.due.to_le_bytes());
        b[24..32].copy_from_slice(&self.sent.to_le_bytes());
    }

    /// read returns the stamp of a message, if it has one.
    pub fn read(b: &[u8]) -> Option<Stamp> {
        let eight = |i: usize| <[u8; 8]>::try_from(&b[i..i + 8]).expect("8 bytes");
        if b.len() < Stamp::SIZE || b[..4] != MAGIC.to_le_bytes() || b[4] > 1 {
            return None;
        }
        Some(Stamp {
            measured: b[4] == 1,
            topic: u16::from_le_bytes([b[6], b[7]]),
            sequence: u64::from_le_bytes(eight(8)),
            due: i64::from_le_bytes(eight(16)),
            sent: i64::from_le_bytes(eight(24)),
        })
    }
}
