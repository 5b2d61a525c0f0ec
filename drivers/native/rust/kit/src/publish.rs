//! Publishing on each topic, at a rate or as fast as it goes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::clock::{now, seconds, shared, Pacer};
use crate::load::{lock, ns, report_unsent, share, slots_within, Crew, Failures, Halt, Load, DRAIN, LEAD};
use crate::protocol::Measured;
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use crate::workload::{Extent, Workload};
use crate::Publisher;

pub struct PublishLoop {
    topics: Vec<Arc<Mutex<Topic>>>,
    rate: f64, // of each topic, per second; 0 is as fast as it goes
    start: i64,
    end: i64, // of the schedule
    halt: Arc<Halt>,
}

/// Topic is published on from one thread.
struct Topic {
    number: usize,
    publisher: Box<dyn Publisher>,
    loans: bool,
    message: Vec<u8>,
    pacer: Pacer,
    lag: Recorder,
    failures: Failures,
    slots: i64, // due in this run; as many as possible without a rate
    taken: i64, // of these, tried to send
    sent: i64,
    late: i64,
    last_at: i64,
}

impl PublishLoop {
    pub fn new(publishers: Vec<Box<dyn Publisher>>, w: &Workload, halt: Arc<Halt>) -> Result<PublishLoop, String> {
        let (content, n) = (w.payload.content(), publishers.len());
        if content.len() < Stamp::SIZE {
            let size = content.len();
            return Err(format!("a payload of {size} bytes can't carry the 32 bytes of a message's sequence number and times"));
        }
        let topic = |(number, publisher)| Topic {
            number,
            publisher,
            loans: w.transfer == "loan",
            message: content.clone(),
            pacer: Pacer::new(n, if w.rate > 0.0 { w.rate } else { 1.0 }),
            lag: Recorder::new(if w.rate > 0.0 { n } else { usize::MAX }),
            failures: Failures::default(),
            slots: 0,
            taken: 0,
            sent: 0,
            late: 0,
            last_at: 0,
        };
        let topics = publishers.into_iter().enumerate().map(|t| Arc::new(Mutex::new(topic(t)))).collect();
        Ok(PublishLoop { topics, rate: w.rate, start: 0, end: 0, halt })
    }
}

impl Load for PublishLoop {
    fn run(&mut self, x: Extent, measured: bool) -> Result<(), String> {
        self.halt.begin()?;
        let n = self.topics.len();
        let crew = Crew::new(&self.halt);
        let paced = self.rate > 0.0;
        self.start = now() + if paced { LEAD } else { 0 };
        self.end = self.start + ns(x.seconds);
        for (i, t) in self.topics.iter().enumerate() {
            let (shared, halt) = (t.clone(), self.halt.clone());
            let mut t = lock(t);
            t.reset();
            t.slots = if x.calls > 0 { share(x.calls, i, n) } else { i64::MAX };
            if !paced {
                let deadline = if x.calls > 0 { i64::MAX } else { self.end };
                crew.start(move || lock(&shared).flood(deadline, measured, &halt.stopped));
                continue;
            }
            let (phase, period) = (i as f64 / n as f64, 1e9 / self.rate);
            if x.calls > 0 {
                self.end = self.end.max(self.start + (t.slots as f64 * period) as i64);
            } else {
                t.slots = slots_within(x.seconds * self.rate, phase);
            }
            let begin = self.start as f64 + phase * period;
            crew.start(move || lock(&shared).paced(begin, period, measured, &halt.stopped));
        }
        // Nobody knows how long a number of messages takes without a rate.
        crew.wait((paced || x.calls == 0).then_some(self.end + DRAIN))?;
        self.halt.end()
    }

    fn report(&mut self, r: &mut Measured) {
        let mut lag = Recorder::new(usize::MAX);
        let (mut unsent, mut last) = (0, 0);
        for t in self.topics.iter().map(|t| lock(t)) {
            r.sent += t.sent;
            r.late += t.late;
            last = last.max(t.last_at);
            t.failures.report(r);
            lag.add(&t.lag);
            unsent += if self.rate > 0.0 { t.slots - t.taken } else { 0 };
        }
        report_unsent(r, unsent);
        r.offered = self.rate * self.topics.len() as f64;
        let end = if self.rate > 0.0 { self.end.max(last) } else { last };
        r.elapsed = seconds(end - self.start);
        r.send_lag = lag.distribution();
    }
}

impl Topic {
    fn reset(&mut self) {
        self.lag.reset();
        self.failures = Failures::default();
        (self.taken, self.sent, self.late, self.last_at) = (0, 0, 0, 0);
    }

    /// paced publishes each message when it is due, or late if it must be, but never
    /// skips one.
    fn paced(&mut self, begin: f64, period: f64, measured: bool, stopped: &AtomicBool) -> Result<(), String> {
        self.pacer.start();
        while self.taken < self.slots {
            let due = (begin + self.taken as f64 * period) as i64;
            if !self.pacer.wait(due, stopped) {
                break;
            }
            self.taken += 1;
            let at = now();
            self.lag.record(at - due);
            self.late += i64::from((at - due) as f64 > period);
            self.send(due, at, measured)?;
        }
        Ok(())
    }

    /// flood publishes one message after the other until the deadline.
    fn flood(&mut self, deadline: i64, measured: bool, stopped: &AtomicBool) -> Result<(), String> {
        let mut at = now();
        while self.taken < self.slots && at < deadline && !stopped.load(Ordering::Relaxed) {
            self.taken += 1;
            self.send(at, at, measured)?;
            at = now();
        }
        self.last_at = at;
        Ok(())
    }

    /// send stamps and publishes one message. One that could not be published gives
    /// its sequence number to the next: the subscriber must not count it as lost.
    fn send(&mut self, due: i64, at: i64, measured: bool) -> Result<(), String> {
        let stamp = Stamp { measured, topic: self.number as u16, sequence: self.sent as u64, due: shared(due), sent: shared(at) };
        self.last_at = at;
        let result = if self.loans {
            self.publisher.publish_loan(self.message.len(), &|chunk| stamp.write(chunk))
        } else {
            stamp.write(&mut self.message);
            self.publisher.publish(&self.message)
        };
        if let Err(f) = result {
            return self.failures.add(f);
        }
        self.failures.succeeded();
        self.sent += 1;
        Ok(())
    }
}
