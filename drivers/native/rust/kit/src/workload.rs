//! What a run asks of a worker, as the interpreter sends it in `prepare`.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Extent is how long a phase lasts: by time or by number of calls; a phase
/// without both has no length.
#[derive(Deserialize, Clone, Copy, Default, Debug, PartialEq)]
#[serde(default)]
pub struct Extent {
    pub seconds: f64,
    pub calls: i64,
}

/// Payload is what each message carries.
#[derive(Deserialize, Clone, Default, Debug)]
#[serde(default)]
pub struct Payload {
    /// bytes, lines, structs
    pub kind: String,
    /// Size of one message's content.
    pub bytes: i64,
    /// Structs or lines in one message.
    pub count: i64,
    /// Content of kind lines, and the text field of kind structs.
    pub text: String,
    /// Number field of kind structs.
    pub value: f64,
}

#[derive(Deserialize, Clone, Default, Debug)]
#[serde(default)]
pub struct Workload {
    pub driver: String,
    /// rpc or pubsub
    pub pattern: String,
    /// Arguments of the backend block by name.
    #[serde(deserialize_with = "null_is_empty")]
    pub options: Map<String, Value>,
    pub payload: Payload,
    /// rpc: twoway, async, oneway, batch_oneway
    pub call: String,
    concurrency: i64,
    topics: i64,
    /// Per second, of each caller or topic; 0 is a closed loop.
    pub rate: f64,
    in_flight: i64,
    /// pubsub over shared memory: copy, loan
    pub transfer: String,
    pub warmup: Extent,
    pub measure: Extent,
}

pub fn null_is_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(d: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(d)?.unwrap_or_default())
}

// Limits against a workload that would only exhaust the machine; those of the Go kit.
const MAX_CALLERS: i64 = 100_000; // callers times calls in flight
const MAX_TOPICS: i64 = 10_000;
const MAX_RATE: f64 = 10_000_000.0; // per second, of one caller or topic
const MAX_BYTES: i64 = 1 << 31;

impl Workload {
    /// concurrency is the number of callers side by side.
    pub fn concurrency(&self) -> usize {
        self.concurrency.max(1) as usize
    }

    pub fn topics(&self) -> usize {
        self.topics.max(1) as usize
    }

    /// in_flight is how many calls each caller may have waiting.
    pub fn in_flight(&self) -> usize {
        match (self.rate, self.in_flight) {
            (0.0, _) => 1,
            (_, 0) => 16,
            (_, n) => n as usize,
        }
    }

    /// text returns an option of the driver, or the default where it is absent.
    pub fn text<'a>(&'a self, option: &str, default: &'a str) -> &'a str {
        self.options.get(option).and_then(Value::as_str).unwrap_or(default)
    }

    /// flag returns an option of the driver, or the default where it is absent.
    pub fn flag(&self, option: &str, default: bool) -> bool {
        self.options.get(option).and_then(Value::as_bool).unwrap_or(default)
    }

    /// check refuses what no load can be made of. It doesn't know what the driver
    /// can carry.
    pub fn check(&self) -> Result<(), String> {
        if self.concurrency < 0 || self.in_flight < 0 || self.topics < 0 {
            return Err("concurrency, in_flight and topics can't be below 0".into());
        }
        if !(0.0..=MAX_RATE).contains(&self.rate) {
            return Err(format!("a rate of {} per second; it must be from 0 to {MAX_RATE}", self.rate));
        }
        if self.concurrency > MAX_CALLERS || self.in_flight() as i64 > MAX_CALLERS / self.concurrency() as i64 {
            return Err(format!("more than {MAX_CALLERS} calls in flight"));
        }
        if self.topics > MAX_TOPICS {
            return Err(format!("{} topics; a worker has {MAX_TOPICS} at most", self.topics));
        }
        if !(0..=MAX_BYTES).contains(&self.payload.bytes) {
            return Err(format!("a payload of {} bytes; it must have from 0 to {MAX_BYTES}", self.payload.bytes));
        }
        if self.measure == Extent::default() {
            return Err("the window to measure has no length".into());
        }
        for x in [self.warmup, self.measure] {
            let known = (0.0..=f64::from(i32::MAX)).contains(&x.seconds) && x.calls >= 0;
            if !known || x.seconds > 0.0 && x.calls > 0 {
                return Err(format!("{} s and {} calls: a phase needs one of them, above 0", x.seconds, x.calls));
            }
        }
        Ok(())
    }
}

impl Payload {
    /// content returns the bytes of one message, the same as the Go kit's: those of
    /// kind bytes are incompressible. It is empty for structs, which every driver
    /// encodes in its own way.
    pub fn content(&self) -> Vec<u8> {
        match self.kind.as_str() {
            "lines" => self.text.clone().into_bytes(),
            "bytes" => random(self.bytes.max(0) as usize),
            _ => Vec::new(),
        }
    }
}

/// random returns bytes of the PCG of Go's math/rand/v2, seeded with 1 and 2.
fn random(n: usize) -> Vec<u8> {
    const MUL: u128 = 2549297995355413924 << 64 | 4865540595714422341;
    const INC: u128 = 6364136223846793005 << 64 | 1442695040888963407;
    let mut state: u128 = 1 << 64 | 2;
    let mut next = || {
        state = state.wrapping_mul(MUL).wrapping_add(INC);
        let (mut hi, lo) = ((state >> 64) as u64, state as u64);
        hi ^= hi >> 32;
        hi = hi.wrapping_mul(0xda942042e4dd58b5);
        hi ^= hi >> 48;
        hi = hi.wrapping_mul(lo | 1);
        (hi >> 32) as u8
    };
    (0..n).map(|_| next()).collect()
}
