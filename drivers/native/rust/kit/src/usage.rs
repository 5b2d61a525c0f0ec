//! CPU time and peak memory of this process over the window.

use std::fs;

use crate::clock::{now, seconds};
use crate::protocol::Measured;

#[derive(Default)]
pub struct Meter {
    start: (f64, f64), // user and system, seconds
    at: i64,
    flags: Vec<String>,
}

impl Meter {
    /// open begins the window.
    pub fn open(&mut self) {
        self.flags.clear();
        // The peak of getrusage would not do: a new process inherits its parent's.
        if let Err(e) = fs::write("/proc/self/clear_refs", "5") {
            self.flags.push(format!("peak memory counts from the start of the process: {e}"));
        }
        self.start = cpu();
        self.at = now();
    }

    /// close ends the window and writes what was used into the result, with elapsed.
    pub fn close(&mut self, r: &mut Measured) {
        let (user, system) = cpu();
        r.elapsed = seconds(now() - self.at);
        r.cpu_user = (user - self.start.0).max(0.0);
        r.cpu_system = (system - self.start.1).max(0.0);
        match peak_memory() {
            Some(bytes) => r.peak_memory = bytes,
            None => self.flags.push("no peak memory: no VmHWM in /proc/self/status".into()),
        }
        r.flags.append(&mut self.flags);
    }
}

fn cpu() -> (f64, f64) {
    // SAFETY: an rusage of zeros is valid, and getrusage can't fail for the process itself.
    let ru = unsafe {
        let mut ru: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut ru);
        ru
    };
    let s = |t: libc::timeval| seconds(t.tv_sec * 1_000_000_000 + t.tv_usec * 1_000);
    (s(ru.ru_utime), s(ru.ru_stime))
}

fn peak_memory() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: i64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}

/// affinity returns the CPUs that this process may run on, as "0-3,8".
pub fn affinity() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:"));
    list.map_or("unknown", str::trim).to_string()
}
