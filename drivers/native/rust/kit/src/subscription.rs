//! Counting what a subscriber receives, and recording one-way latencies.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::{now, shared};
use crate::load::{lock, share, Halt};
use crate::protocol::Measured;
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use crate::windows::{add_windows, windows_in, Windows, MAX_WINDOWS};
use crate::workload::Workload;

/// Subscription takes the messages of a subscriber.
pub struct Subscription {
    topics: Vec<Mutex<Received>>,
    paced: bool, // messages had a time when they were due
    size: usize, // of each message
    foreign: AtomicI64,
}

/// Received is what arrived on one topic. Only messages of the window count.
struct Received {
    latency: Recorder, // from when it was due
    service: Recorder, // from when it was sent
    windows: Windows,
    by_number: bool, // windows are cut by messages, not by time
    length: f64,     // of the extent in ns, if by time
    seen: Sequences,
    count: i64, // different messages
    duplicated: i64,
    reordered: i64,
    negative: i64,
    wrong_size: i64,
    implausible: i64,
}

impl Subscription {
    pub(crate) fn new(w: &Workload) -> Subscription {
        let n = w.topics();
        let topic = |i| {
            let mut windows = Windows::new();
            if w.measure.calls > 0 {
                windows.begin(windows_in(w.measure, n), 0, share(w.measure.calls, i, n) as f64);
            }
            Mutex::new(Received {
                latency: Recorder::new(n),
                service: Recorder::new(n),
                windows,
                by_number: w.measure.calls > 0,
                length: w.measure.seconds * 1e9,
                seen: Sequences::default(),
                count: 0,
                duplicated: 0,
                reordered: 0,
                negative: 0,
                wrong_size: 0,
                implausible: 0,
            })
        };
        let size = w.payload.content().len();
        Subscription { topics: (0..n).map(topic).collect(), paced: w.rate > 0.0, size, foreign: AtomicI64::new(0) }
    }

    /// receive takes one message, from one thread at a time for each topic.
    pub fn receive(&self, topic: usize, message: &[u8]) {
        self.receive_head(topic, message, message.len());
    }

    /// receive_head is receive for a message whose first bytes alone, those of the stamp at
    /// least, lie in one piece.
    pub fn receive_head(&self, topic: usize, head: &[u8], size: usize) {
        let at = shared(now());
        let stamp = Stamp::read(head).filter(|s| usize::from(s.topic) == topic);
        match (stamp, self.topics.get(topic)) {
            (Some(s), Some(t)) if s.measured => lock(t).take(s, at, self.paced, size == self.size),
            (Some(_), Some(_)) => {}
            _ => drop(self.foreign.fetch_add(1, Ordering::Relaxed)),
        }
    }

    fn count(&self) -> i64 {
        self.topics.iter().map(|t| lock(t).count).sum()
    }

    /// wait waits until sent messages have arrived, the time is over or the worker must end.
    pub(crate) fn wait(&self, sent: i64, limit: Duration, halt: &Halt) {
        let end = Instant::now() + limit;
        while self.count() < sent && Instant::now() < end && !halt.halted() {
            thread::sleep(Duration::from_millis(1)); // the window is over: nobody is kept waiting
        }
    }

    /// report writes what arrived of the sent messages.
    pub(crate) fn report(&self, r: &mut Measured, sent: i64) {
        // Locked to the end: a late message must not change what is read.
        let topics: Vec<_> = self.topics.iter().map(lock).collect();
        let (mut latency, mut service) = (Recorder::new(usize::MAX), Recorder::new(usize::MAX));
        let (mut gaps, mut wrong_size, mut implausible) = (0, 0, 0);
        for t in &topics {
            latency.add(&t.latency);
            service.add(&t.service);
            r.received += t.count;
            r.duplicated += t.duplicated;
            r.reordered += t.reordered;
            r.negative += t.negative;
            gaps += t.seen.highest as i64 - t.count;
            wrong_size += t.wrong_size;
            implausible += t.implausible;
        }
        // Gaps in the sequence miss the losses at its end; the number sent tells all.
        r.lost = gaps.max(sent - r.received);
        let foreign = self.foreign.load(Ordering::Relaxed);
        for (n, text) in [
            (wrong_size, "messages had not the payload's size"),
            (implausible, "messages had an implausible sequence number and were left out"),
            (foreign, "messages were not ours or came on another topic, and were left out"),
            (r.received - sent, "more messages arrived than were reported as sent"),
        ] {
            if n > 0 {
                r.flags.push(format!("{n} {text}"));
            }
        }
        r.windows = add_windows(topics.iter().map(|t| &t.windows));
        r.latency = latency.distribution();
        if self.paced {
            r.service = service.distribution();
        }
    }
}

impl Received {
    fn take(&mut self, s: Stamp, at: i64, paced: bool, sized: bool) {
        let seen = self.seen.add(s.sequence);
        if !seen.plausible {
            self.implausible += 1;
            return;
        }
        if !seen.fresh {
            self.duplicated += 1;
            return;
        }
        self.reordered += i64::from(!seen.in_order);
        self.count += 1;
        if self.count == 1 && !self.by_number {
            self.windows.begin(MAX_WINDOWS, s.due, self.length); // nothing else says when the window began
        }
        self.wrong_size += i64::from(!sized);
        if at < s.sent || at < s.due {
            self.negative += 1;
            return;
        }
        self.latency.record(at - s.due);
        if paced {
            self.service.record(at - s.sent);
        }
        let place = if self.by_number { s.sequence as i64 } else { s.due };
        self.windows.record(place, at - s.due);
    }
}

const CHUNK: u64 = 1 << 16;

/// Bounds a jump of the sequence, and so the memory that a damaged number can claim.
const MAX_GAP: u64 = 1 << 26;

/// Sequences remembers which of the numbers from 0 have been seen.
#[derive(Default)]
pub struct Sequences {
    highest: u64, // the highest seen, plus 1
    chunks: Vec<Option<Box<[u64; CHUNK as usize / 64]>>>,
}

/// Seen says about a number whether it is new, higher than all before, and not too
/// far ahead to be true.
#[derive(Default)]
pub struct Seen {
    pub fresh: bool,
    pub in_order: bool,
    pub plausible: bool,
}

impl Sequences {
    /// add marks n.
    pub fn add(&mut self, n: u64) -> Seen {
        if n >= self.highest + MAX_GAP {
            return Seen::default();
        }
        let chunk = (n / CHUNK) as usize;
        if chunk >= self.chunks.len() {
            self.chunks.resize(chunk + 1, None);
        }
        let chunk = self.chunks[chunk].get_or_insert_with(|| Box::new([0; CHUNK as usize / 64]));
        let (word, bit) = (&mut chunk[(n % CHUNK / 64) as usize], 1 << (n % 64));
        let seen = Seen { fresh: *word & bit == 0, in_order: n >= self.highest, plausible: true };
        *word |= bit;
        self.highest = self.highest.max(n + 1);
        seen
    }
}
