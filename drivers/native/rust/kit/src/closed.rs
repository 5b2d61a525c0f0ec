//! The closed loop: each caller makes one call after the other, without a pause.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, OnceLock};

use crate::clock::{now, seconds};
use crate::load::{lock, ns, share, Crew, Failures, Halt, Load, DRAIN};
use crate::protocol::Measured;
use crate::recorder::Recorder;
use crate::windows::{add_windows, windows_in, Windows};
use crate::workload::Extent;
use crate::Caller;

pub struct ClosedLoop {
    loops: Vec<Arc<Mutex<Loop>>>,
    halt: Arc<Halt>,
}

impl ClosedLoop {
    pub fn new(callers: Vec<Box<dyn Caller>>, halt: Arc<Halt>) -> ClosedLoop {
        let n = callers.len();
        let loops = callers.into_iter().map(|c| Arc::new(Mutex::new(Loop::new(c, n))));
        ClosedLoop { loops: loops.collect(), halt }
    }
}

impl Load for ClosedLoop {
    fn run(&mut self, x: Extent, _measured: bool) -> Result<(), String> {
        self.halt.begin()?;
        let n = self.loops.len();
        let cut = windows_in(x, n);
        let crew = Crew::new(&self.halt);
        // All begin at the same moment, which they learn when they are all there.
        let gate = Arc::new((Barrier::new(n + 1), OnceLock::new()));
        for (i, l) in self.loops.iter().enumerate() {
            let (l, gate, halt) = (l.clone(), gate.clone(), self.halt.clone());
            crew.start(move || {
                let mut l = lock(&l);
                l.reset();
                gate.0.wait();
                let start: i64 = *gate.1.get_or_init(now);
                if x.calls > 0 {
                    let calls = share(x.calls, i, n);
                    l.windows.begin(cut, 0, calls as f64);
                    return l.run(i64::MAX, calls, &halt.stopped);
                }
                l.windows.begin(cut, start, x.seconds * 1e9);
                l.run(start + ns(x.seconds), i64::MAX, &halt.stopped)
            });
        }
        gate.0.wait();
        let start = *gate.1.get_or_init(now);
        crew.wait((x.calls == 0).then(|| start + ns(x.seconds) + DRAIN))?;
        self.halt.end()
    }

    fn report(&mut self, r: &mut Measured) {
        let loops: Vec<_> = self.loops.iter().map(|l| lock(l)).collect();
        let mut latency = Recorder::new(usize::MAX);
        for l in &loops {
            latency.add(&l.latency);
            r.sent += l.sent;
            l.failures.report(r);
        }
        let start = loops.iter().map(|l| l.start).min().unwrap_or(0);
        let end = loops.iter().map(|l| l.end).max().unwrap_or(0);
        r.elapsed = seconds(end - start);
        r.received = latency.count();
        r.windows = add_windows(loops.iter().map(|l| &l.windows));
        r.latency = latency.distribution();
    }
}

struct Loop {
    caller: Box<dyn Caller>,
    latency: Recorder,
    windows: Windows,
    failures: Failures,
    sent: i64,
    start: i64, // of its first call
    end: i64,   // of its last call
}

impl Loop {
    fn new(caller: Box<dyn Caller>, n: usize) -> Loop {
        let (latency, windows, failures) = (Recorder::new(n), Windows::new(), Failures::default());
        Loop { caller, latency, windows, failures, sent: 0, start: 0, end: 0 }
    }

    fn reset(&mut self) {
        self.latency.reset();
        self.failures = Failures::default();
        self.sent = 0;
    }

    /// run makes calls until the deadline or their number is reached. The end of one
    /// call is the start of the next: there is one reading of the clock a call, and no
    /// time between calls that no latency accounts for. A failed call takes part in
    /// the elapsed time, but not in the latencies.
    fn run(&mut self, deadline: i64, calls: i64, stopped: &AtomicBool) -> Result<(), String> {
        let mut t = now();
        (self.start, self.end) = (t, t);
        while self.sent < calls && t < deadline && !stopped.load(Ordering::Relaxed) {
            let result = self.caller.call();
            let end = now();
            self.sent += 1;
            match result {
                Ok(()) => {
                    self.failures.succeeded();
                    self.latency.record(end - t);
                    let at = if calls == i64::MAX { t } else { self.sent - 1 };
                    self.windows.record(at, end - t);
                }
                Err(f) => self.failures.add(f)?,
            }
            t = end;
        }
        self.end = t;
        Ok(())
    }
}
