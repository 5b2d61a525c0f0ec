//! Recording times.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use hdrhistogram::Histogram;

use crate::protocol::Distribution;

/// The largest value that a histogram tells apart: one hour, in nanoseconds.
pub const MAX_TRACKABLE: i64 = 3_600_000_000_000;

/// The layout of an HdrHistogram from 1 ns with 3 digits: values below 2^11 have a
/// count each; every doubling above has 2^10 counts.
const HALF_BITS: u32 = 10;

/// index returns the place of v, not below 0, in the counts.
pub fn index(v: i64) -> usize {
    let bits = 64 - (v as u64 | ((1 << (HALF_BITS + 1)) - 1)).leading_zeros();
    let shift = bits - (HALF_BITS + 1);
    ((shift as usize) << HALF_BITS) + (v >> shift) as usize
}

/// value returns the lowest value whose place is i.
fn value(i: usize) -> u64 {
    let shift = (i >> HALF_BITS).saturating_sub(1);
    ((i - (shift << HALF_BITS)) as u64) << shift
}

/// Recorder records times of one caller: an HdrHistogram, and exact sums. It
/// indexes the counts itself, so that memory which no time falls into is never
/// touched; the library encodes them.
pub struct Recorder {
    counts: Vec<u64>,
    count: i64,
    sum: i64,
    min: i64,
    max: i64,
    over: i64,
    squares: u128, // exact
}

/// How many recorders are touched beforehand. That takes 170 kB each; with more of
/// them the memory would weigh more than the faults.
const MAX_TOUCHED: usize = 64;

/// Bounds the values whose counts are in memory before the window opens. Beyond a
/// second, one page fault no longer matters.
const TOUCHED_TO: i64 = 1 << 30;

impl Recorder {
    /// new returns one of n recorders.
    pub fn new(n: usize) -> Recorder {
        let mut counts = vec![0u64; index(MAX_TRACKABLE) + 1];
        if n <= MAX_TOUCHED {
            // A first write to a page in the middle of the window would be measured.
            for c in counts[..index(TOUCHED_TO)].iter_mut().step_by(512) {
                // SAFETY: c is a valid reference; volatile, to be written indeed.
                unsafe { std::ptr::write_volatile(c, 0) };
            }
        }
        Recorder { counts, count: 0, sum: 0, min: i64::MAX, max: 0, over: 0, squares: 0 }
    }

    /// record adds one time in nanoseconds, not below 0.
    pub fn record(&mut self, ns: i64) {
        if ns > MAX_TRACKABLE {
            self.over += 1;
        }
        self.counts[index(ns.min(MAX_TRACKABLE))] += 1;
        self.count += 1;
        self.sum += ns;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.squares += ns as u128 * ns as u128;
    }

    pub fn count(&self) -> i64 {
        self.count
    }

    /// used is how many counts may be other than 0.
    fn used(&self) -> usize {
        index(self.max.min(MAX_TRACKABLE)) + 1
    }

    pub fn reset(&mut self) {
        let used = self.used();
        self.counts[..used].fill(0);
        (self.count, self.sum, self.min, self.max, self.over, self.squares) = (0, 0, i64::MAX, 0, 0, 0);
    }

    /// add adds the samples of another recorder.
    pub fn add(&mut self, o: &Recorder) {
        if o.count == 0 {
            return;
        }
        for (c, n) in self.counts.iter_mut().zip(&o.counts[..o.used()]) {
            *c += n;
        }
        self.count += o.count;
        self.sum += o.sum;
        self.min = self.min.min(o.min);
        self.max = self.max.max(o.max);
        self.over += o.over;
        self.squares += o.squares;
    }

    /// distribution is what the protocol sends; none without samples.
    pub fn distribution(&self) -> Option<Distribution> {
        if self.count == 0 {
            return None;
        }
        let mut h = Histogram::<u64>::new_with_bounds(1, MAX_TRACKABLE as u64, 3).expect("the protocol's geometry");
        for (i, &n) in self.counts[..self.used()].iter().enumerate().filter(|(_, &n)| n > 0) {
            h.record_n(value(i), n).expect("a value within the bounds");
        }
        let mut encoded = Vec::new();
        V2DeflateSerializer::new().serialize(&h, &mut encoded).expect("writing to memory");
        Some(Distribution {
            count: self.count,
            sum: self.sum,
            min: self.min,
            max: self.max,
            sum_squares: self.squares as f64 * 1e-18,
            histogram: STANDARD.encode(&encoded),
            over: self.over,
        })
    }
}
