//! What all loads share: threads that may fail, failed calls, and being halted.

use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::clock::now;
use crate::protocol::Measured;
use crate::workload::Extent;
use crate::Failure;

/// How long calls that were due in the window may still be sent after its end, ns.
pub const DRAIN: i64 = 2_000_000_000;

/// How long calls that were sent may stay unanswered after that.
const PATIENCE: Duration = Duration::from_secs(10);

/// From the start of an open loop until its first slot, ns: threads need some to get ready.
pub const LEAD: i64 = 2_000_000;

/// Load is what an active role does: it runs once to warm up and once for the window.
pub trait Load: Send {
    /// run makes load for the extent and returns when the last call was answered.
    /// What an earlier run recorded is forgotten.
    fn run(&mut self, x: Extent, measured: bool) -> Result<(), String>;
    /// report writes what the last run recorded.
    fn report(&mut self, r: &mut Measured);
}

/// Halt tells threads to end.
#[derive(Default)]
pub struct Halt {
    /// For this run: too many failures, or its time is over.
    pub stopped: AtomicBool,
    /// For all runs.
    halted: AtomicBool,
}

impl Halt {
    /// halt ends the present run and all later ones early.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::SeqCst);
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// halted reports whether the worker must end.
    pub fn halted(&self) -> bool {
        self.halted.load(Ordering::SeqCst)
    }

    /// begin begins a run.
    pub fn begin(&self) -> Result<(), String> {
        self.stopped.store(false, Ordering::SeqCst);
        self.end()
    }

    /// end says whether a run went to its end.
    pub fn end(&self) -> Result<(), String> {
        if self.halted() {
            return Err("stopped early".into());
        }
        Ok(())
    }
}

/// lock locks, whatever happened to a thread that had the lock before.
pub fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// guard calls f and turns a panic into an error. Its text is on standard error.
pub fn guard<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|p| {
        let text = p.downcast_ref::<String>().cloned().or_else(|| p.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(format!("the worker panicked: {}", text.unwrap_or_default()))
    })
}

#[derive(Default)]
struct State {
    running: usize,
    error: Option<String>, // the first
}

/// Crew runs threads that may fail.
pub struct Crew {
    state: Arc<(Mutex<State>, Condvar)>,
    halt: Arc<Halt>,
}

impl Crew {
    pub fn new(halt: &Arc<Halt>) -> Crew {
        Crew { state: Arc::default(), halt: halt.clone() }
    }

    /// start runs f in a thread of its own. The first failure stops the others.
    pub fn start(&self, f: impl FnOnce() -> Result<(), String> + Send + 'static) {
        lock(&self.state.0).running += 1;
        let (state, halt) = (self.state.clone(), self.halt.clone());
        let ended = move |result: Result<(), String>| {
            let mut s = lock(&state.0);
            s.running -= 1;
            if let Err(e) = result {
                s.error.get_or_insert(e);
                halt.stopped.store(true, Ordering::SeqCst);
            }
            state.1.notify_all();
        };
        let after = ended.clone();
        if let Err(e) = thread::Builder::new().spawn(move || after(guard(f))) {
            ended(Err(format!("no thread for a caller: {e}")));
        }
    }

    /// wait waits for all threads and returns the first failure. It stops them when a
    /// deadline on the monotonic clock has passed; none waits for ever.
    pub fn wait(&self, deadline: Option<i64>) -> Result<(), String> {
        let mut s = lock(&self.state.0);
        let busy = |s: &mut State| s.running > 0;
        if let Some(deadline) = deadline {
            let left = Duration::from_nanos((deadline - now()).max(0) as u64);
            s = self.state.1.wait_timeout_while(s, left, busy).unwrap_or_else(PoisonError::into_inner).0;
            if s.running > 0 {
                self.halt.stopped.store(true, Ordering::SeqCst);
                s = self.state.1.wait_timeout_while(s, PATIENCE, busy).unwrap_or_else(PoisonError::into_inner).0;
            }
            if s.running > 0 {
                return Err("a call got no answer within 12s after the end of the window".into());
            }
        } else {
            s = self.state.1.wait_while(s, busy).unwrap_or_else(PoisonError::into_inner);
        }
        s.error.clone().map_or(Ok(()), Err)
    }
}

/// How many calls of one caller may fail one after the other before it gives up: a
/// dead server must not make it spin.
const MAX_IN_A_ROW: usize = 1000;

/// Failures counts the failed calls of one caller.
#[derive(Default)]
pub struct Failures {
    kinds: BTreeMap<&'static str, (i64, String)>, // number, and the first text
    in_a_row: usize,
}

impl Failures {
    /// add counts a failure, and fails when there were too many in a row.
    pub fn add(&mut self, f: Failure) -> Result<(), String> {
        let k = self.kinds.entry(f.kind).or_insert((0, f.text));
        k.0 += 1;
        self.in_a_row += 1;
        if self.in_a_row < MAX_IN_A_ROW {
            return Ok(());
        }
        Err(format!("gave up after {MAX_IN_A_ROW} calls in a row failed; the first one: {}", k.1))
    }

    pub fn succeeded(&mut self) {
        self.in_a_row = 0;
    }

    /// report adds the counts to the result, and the first text of each kind as a flag.
    pub fn report(&self, r: &mut Measured) {
        for (kind, (n, text)) in &self.kinds {
            let all = r.errors.entry(kind.to_string()).or_default();
            if *all == 0 {
                r.flags.push(format!("error {kind}: {}", text.chars().take(400).collect::<String>()));
            }
            *all += n;
        }
    }
}

/// report_unsent adds the slots of a schedule that were never sent. They have no
/// latency; without this remark the schedule would look kept.
pub fn report_unsent(r: &mut Measured, n: i64) {
    if n > 0 {
        *r.errors.entry("unsent".into()).or_default() += n;
        r.flags.push(format!("overload: {n} messages that were due in the window had not been sent 2s after its end"));
    }
}

/// share returns part i of n when total is shared out evenly.
pub fn share(total: i64, i: usize, n: usize) -> i64 {
    total / n as i64 + i64::from((i as i64) < total % n as i64)
}

/// slots_within returns how many of the points phase, phase+1, ... lie below periods.
pub fn slots_within(periods: f64, phase: f64) -> i64 {
    ((periods - phase - 1e-9).ceil() as i64).max(0)
}

/// ns converts seconds.
pub fn ns(seconds: f64) -> i64 {
    (seconds * 1e9) as i64
}
