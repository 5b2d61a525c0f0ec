//! How a run went along.

use serde::Serialize;

use crate::workload::Extent;

/// The largest number of windows of a result.
pub const MAX_WINDOWS: usize = 100;

/// Window is one share of a run: how many times were measured in it, and their sum
/// in nanoseconds.
#[derive(Serialize, Clone, Copy, Default, Debug, PartialEq)]
pub struct Window {
    pub count: i64,
    pub sum: i64,
}

/// Windows are the times of one caller or topic, summed up over equal shares of the
/// extent. A time belongs to the window in which its call was due or, in a closed
/// loop, began; where the extent is a number of calls, to the window of its number.
pub struct Windows {
    list: [Window; MAX_WINDOWS],
    n: usize, // of list, in this run
    start: i64,
    scale: f64, // windows per ns or call
}

impl Windows {
    pub fn new() -> Windows {
        Windows { list: [Window::default(); MAX_WINDOWS], n: 1, start: 0, scale: 1.0 }
    }

    /// begin forgets everything and cuts what is from start on, of this length, into
    /// n windows.
    pub fn begin(&mut self, n: usize, start: i64, length: f64) {
        self.list = [Window::default(); MAX_WINDOWS];
        (self.n, self.start, self.scale) = (n, start, n as f64 / length.max(1.0));
    }

    /// record adds a time, in nanoseconds, to the window of the point at.
    pub fn record(&mut self, at: i64, ns: i64) {
        // A schedule of calls may end a little later than computed.
        let k = ((at - self.start) as f64 * self.scale) as i64;
        let w = &mut self.list[k.clamp(0, self.n as i64 - 1) as usize];
        w.count += 1;
        w.sum += ns;
    }
}

impl Default for Windows {
    fn default() -> Self {
        Windows::new()
    }
}

/// windows_in returns how many windows an extent is cut into that is shared out to n
/// callers: no caller may have fewer calls than windows.
pub fn windows_in(x: Extent, n: usize) -> usize {
    if x.calls == 0 {
        return MAX_WINDOWS;
    }
    (x.calls / n as i64).clamp(1, MAX_WINDOWS as i64) as usize
}

/// add_windows adds up the windows of all callers; empty without samples.
pub fn add_windows<'a>(all: impl IntoIterator<Item = &'a Windows>) -> Vec<Window> {
    let mut sums: Vec<Window> = Vec::new();
    for w in all {
        sums.resize(sums.len().max(w.n), Window::default());
        for (s, one) in sums.iter_mut().zip(&w.list[..w.n]) {
            s.count += one.count;
            s.sum += one.sum;
        }
    }
    if sums.iter().all(|w| w.count == 0) {
        sums.clear();
    }
    sums
}
