//! The open loop: each schedule makes its calls at fixed points in time, its slots,
//! whatever the answers take. A slot is never skipped: when it can't be sent in time
//! it is sent late, and its latency counts from when it was due.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use crate::clock::{now, seconds, Pacer};
use crate::load::{lock, ns, report_unsent, share, slots_within, Crew, Failures, Halt, Load, DRAIN, LEAD};
use crate::protocol::Measured;
use crate::recorder::Recorder;
use crate::windows::{add_windows, windows_in, Windows};
use crate::workload::Extent;
use crate::{Caller, Failure};

type Schedule = (Vec<Arc<Mutex<Follower>>>, Arc<Mutex<Record>>);

pub struct OpenLoop {
    schedules: Vec<Schedule>,
    rate: f64, // of each schedule, per second
    start: i64,
    end: i64, // of the schedule
    halt: Arc<Halt>,
}

/// Follower makes calls of a schedule. Each schedule has as many as it may have calls
/// in flight; a free one takes the next slot and waits for it, so that no call is
/// handed to another thread when it is due.
struct Follower {
    caller: Box<dyn Caller>,
    pacer: Pacer,
}

/// Slots are the points in time of a schedule in one run.
struct Slots {
    next: AtomicI64,
    count: i64,
    begin: f64,  // of slot 0, ns on the monotonic clock
    period: f64, // ns
}

/// Record is what the followers of a schedule recorded.
struct Record {
    latency: Recorder,
    service: Recorder,
    lag: Recorder,
    windows: Windows,
    failures: Failures,
    slots: i64,
    sent: i64,
    late: i64,
    last_at: i64,
}

impl OpenLoop {
    /// new shares the callers out to n schedules, in order.
    pub fn new(callers: Vec<Box<dyn Caller>>, n: usize, rate: f64, halt: Arc<Halt>) -> OpenLoop {
        let each = callers.len() / n;
        let mut callers = callers.into_iter();
        let schedules = (0..n).map(|_| {
            let followers = callers.by_ref().take(each);
            let followers = followers.map(|caller| Arc::new(Mutex::new(Follower { caller, pacer: Pacer::new(n, rate) })));
            (followers.collect(), Arc::new(Mutex::new(Record::new(n))))
        });
        OpenLoop { schedules: schedules.collect(), rate, start: 0, end: 0, halt }
    }
}

impl Load for OpenLoop {
    fn run(&mut self, x: Extent, _measured: bool) -> Result<(), String> {
        self.halt.begin()?;
        let n = self.schedules.len();
        let period = 1e9 / self.rate;
        let crew = Crew::new(&self.halt);
        (self.start, self.end) = (now() + LEAD, 0);
        for (i, (followers, record)) in self.schedules.iter().enumerate() {
            let phase = i as f64 / n as f64; // spread evenly over the period
            let count = if x.calls > 0 { share(x.calls, i, n) } else { slots_within(x.seconds * self.rate, phase) };
            let begin = self.start as f64 + phase * period;
            let length = if x.calls > 0 { count as f64 * period } else { x.seconds * 1e9 };
            lock(record).reset(count);
            lock(record).windows.begin(windows_in(x, n), begin as i64, length);
            self.end = self.end.max(self.start + (count as f64 * period) as i64);
            let slots = Arc::new(Slots { next: AtomicI64::new(0), count, begin, period });
            for f in followers {
                let (f, slots, record, halt) = (f.clone(), slots.clone(), record.clone(), self.halt.clone());
                crew.start(move || lock(&f).follow(&slots, &record, &halt.stopped));
            }
        }
        if x.calls == 0 {
            self.end = self.start + ns(x.seconds);
        }
        crew.wait(Some(self.end + DRAIN))?;
        self.halt.end()
    }

    fn report(&mut self, r: &mut Measured) {
        let records: Vec<_> = self.schedules.iter().map(|(_, record)| lock(record)).collect();
        let sum = |part: fn(&Record) -> &Recorder| {
            let mut all = Recorder::new(usize::MAX);
            records.iter().for_each(|s| all.add(part(s)));
            all
        };
        let (latency, service, lag) = (sum(|s| &s.latency), sum(|s| &s.service), sum(|s| &s.lag));
        let (mut unsent, mut last) = (0, 0);
        for s in &records {
            r.sent += s.sent;
            r.late += s.late;
            unsent += s.slots - s.sent;
            last = last.max(s.last_at);
            s.failures.report(r);
        }
        report_unsent(r, unsent);
        r.received = latency.count();
        r.offered = self.rate * records.len() as f64;
        // The window lasts until its last slot was sent, if that is later than the schedule's end.
        r.elapsed = seconds(self.end.max(last) - self.start);
        r.windows = add_windows(records.iter().map(|s| &s.windows));
        (r.latency, r.service, r.send_lag) = (latency.distribution(), service.distribution(), lag.distribution());
    }
}

impl Follower {
    /// follow takes slots until none is left or the run is stopped.
    fn follow(&mut self, slots: &Slots, record: &Mutex<Record>, stopped: &AtomicBool) -> Result<(), String> {
        self.pacer.start();
        loop {
            let slot = slots.next.fetch_add(1, Ordering::Relaxed);
            if slot >= slots.count {
                return Ok(());
            }
            let due = (slots.begin + slot as f64 * slots.period) as i64;
            if !self.pacer.wait(due, stopped) {
                return Ok(());
            }
            let sent = now();
            let result = self.caller.call();
            let end = now();
            lock(record).add(due, sent, end, slots.period, result)?;
        }
    }
}

impl Record {
    fn new(n: usize) -> Record {
        let (latency, service, lag) = (Recorder::new(n), Recorder::new(n), Recorder::new(n));
        let (windows, failures) = (Windows::new(), Failures::default());
        Record { latency, service, lag, windows, failures, slots: 0, sent: 0, late: 0, last_at: 0 }
    }

    fn reset(&mut self, slots: i64) {
        for recorder in [&mut self.latency, &mut self.service, &mut self.lag] {
            recorder.reset();
        }
        self.failures = Failures::default();
        (self.slots, self.sent, self.late, self.last_at) = (slots, 0, 0, 0);
    }

    fn add(&mut self, due: i64, sent: i64, end: i64, period: f64, result: Result<(), Failure>) -> Result<(), String> {
        self.sent += 1;
        self.last_at = self.last_at.max(sent);
        self.lag.record(sent - due);
        self.late += i64::from((sent - due) as f64 > period);
        if let Err(f) = result {
            return self.failures.add(f);
        }
        self.failures.succeeded();
        self.latency.record(end - due);
        self.windows.record(due, end - due);
        self.service.record(end - sent);
        Ok(())
    }
}
