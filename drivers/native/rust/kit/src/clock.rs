//! Time: the clock that all processes of a host share, and waiting for points in
//! time, precisely.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// now returns CLOCK_MONOTONIC in nanoseconds. It takes about 25 ns.
pub fn now() -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: t is a valid timespec; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// What the clock that the hosts of a run agree on shows more than that of this one,
/// nanoseconds; set before there is any load.
static SHIFT: AtomicI64 = AtomicI64::new(0);

pub fn set_shift(ns: i64) {
    SHIFT.store(ns, Ordering::Relaxed);
}

/// shared returns what the clock that all hosts of a run agree on shows when this
/// host's shows t.
pub fn shared(t: i64) -> i64 {
    t + SHIFT.load(Ordering::Relaxed)
}

pub fn seconds(ns: i64) -> f64 {
    ns as f64 * 1e-9
}

/// Pacer waits for points in time: it sleeps until shortly before, and spins for
/// the rest. How early it must wake follows what the last sleeps took beyond their
/// time. The numbers are those of the Go kit (drivers/worker/pacer.go).
pub struct Pacer {
    most: i64,
    margin: i64,
}

const SLICE: i64 = 100_000_000;
const STEP: i64 = 2_000;

impl Pacer {
    /// A pacer of one of n schedules with that many points in time per second
    /// each. Together they spin for a third of the time at most.
    pub fn new(n: usize, rate: f64) -> Pacer {
        let most = f64::min(200_000.0, 1e9 / rate / n as f64 / 3.0) as i64;
        Pacer { most, margin: most.min(80_000) }
    }

    /// start must be called by the thread that will wait: the kernel must not
    /// round its sleeps up to 50 us.
    pub fn start(&self) {
        // SAFETY: sets an attribute of the calling thread.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong, 0, 0, 0) };
    }

    /// wait returns true at the point in time due, at once if it is past, and
    /// false soon after stopped is set.
    pub fn wait(&mut self, due: i64, stopped: &AtomicBool) -> bool {
        let mut t = now();
        if due - t > self.margin {
            let aim = due - self.margin;
            while t < aim {
                if stopped.load(Ordering::Relaxed) {
                    return false;
                }
                let until = aim.min(t + SLICE); // in slices, to see when it is stopped
                let ts = libc::timespec { tv_sec: until / 1_000_000_000, tv_nsec: until % 1_000_000_000 };
                // SAFETY: ts is valid; a sleep that is interrupted is repeated.
                unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &ts, std::ptr::null_mut()) };
                t = now();
            }
            self.adapt(t - aim);
        }
        while t < due {
            t = now();
        }
        !stopped.load(Ordering::Relaxed)
    }

    /// adapt moves the margin towards the 95th percentile of what sleeps take
    /// beyond their time: one step up weighs as much as 19 steps down.
    pub fn adapt(&mut self, overshoot: i64) {
        self.margin += if overshoot > self.margin { STEP } else { -(STEP / 19) };
        self.margin = self.margin.max(5_000).min(self.most);
    }

    pub fn margin(&self) -> i64 {
        self.margin
    }
}
