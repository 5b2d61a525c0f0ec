//! Shared memory: a pool that messages are made in, and whether they really came
//! through it.

use std::ffi::CString;
use std::fs;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use versus::{Failure, Setup};
use zenoh::bytes::ZBytes;
use zenoh::qos::CongestionControl;
use zenoh::shm::{Defragment, GarbageCollect, PosixShmProviderBackend, ShmProvider, ShmProviderBuilder, ZShmMut};
use zenoh::Wait;

/// The smallest pool, and how many messages a pool holds at least. zenoh locks it in
/// memory, of which a process may often have no more than 8 MiB.
const POOL: usize = 4 << 20;
const MESSAGES: usize = 8;

/// How long a full pool may stay full: as long as zenoh waits for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Memory {
    provider: Option<ShmProvider<PosixShmProviderBackend>>, // of a role that sends
    pub pool: usize,                                        // bytes
    received: AtomicI64,
    elsewhere: AtomicI64, // of these, over the network
}

impl Memory {
    /// new makes the pool of a role that sends.
    pub fn new(s: &Setup, sends: bool) -> Result<Arc<Memory>, String> {
        let pool = if sends { POOL.max(MESSAGES * s.workload.payload.content().len()) } else { 0 };
        let free = free("/dev/shm");
        if free < pool as u64 {
            return Err(format!("a pool of {pool} bytes does not fit into /dev/shm, which has {free} free"));
        }
        let provider = sends.then(|| ShmProviderBuilder::default_backend(pool).wait()).transpose();
        let provider = provider
            .map_err(|e| format!("no shared memory of {pool} bytes, which zenoh locks in memory (see ulimit -l): {e}"))?;
        Ok(Arc::new(Memory { provider, pool, received: AtomicI64::new(0), elsewhere: AtomicI64::new(0) }))
    }

    /// take takes memory for a message. Where all is in use it waits, or fails at once
    /// if messages are to be dropped or the other side is gone: if that was killed, what
    /// was on its way to it stays in use.
    pub fn take(&self, size: usize, congestion: CongestionControl, gone: impl Fn() -> bool) -> Result<ZShmMut, Failure> {
        let provider = self.provider.as_ref().ok_or_else(|| Failure::other("this role does not send"))?;
        let mut since = None;
        loop {
            let e = match provider.alloc(size).with_policy::<Defragment<GarbageCollect>>().wait() {
                Ok(chunk) => return Ok(chunk),
                Err(e) => e,
            };
            if gone() {
                return Err(Failure::connection("the other side is gone"));
            }
            let waited = since.get_or_insert_with(Instant::now).elapsed();
            if congestion == CongestionControl::Drop || waited > PATIENCE {
                return Err(Failure { kind: "memory", text: format!("no shared memory for a message: {e:?}") });
            }
            thread::sleep(Duration::from_millis(1)); // as zenoh's own BlockOn does
        }
    }

    /// copy takes memory for a message and copies it there.
    pub fn copy(&self, message: &[u8], congestion: CongestionControl, gone: impl Fn() -> bool) -> Result<ZBytes, Failure> {
        let mut chunk = self.take(message.len(), congestion, gone)?;
        chunk.copy_from_slice(message);
        Ok(chunk.into())
    }

    /// received notes whether a message came through shared memory.
    pub fn received(&self, message: &ZBytes) {
        self.received.fetch_add(1, Ordering::Relaxed);
        if message.as_shm().is_none() {
            self.elsewhere.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// remarks says whether zenoh fell back to the network, which it does in silence.
    pub fn remarks(&self) -> Vec<String> {
        let (n, all) = (self.elsewhere.load(Ordering::Relaxed), self.received.load(Ordering::Relaxed));
        if n == 0 {
            return Vec::new();
        }
        vec![format!("fallback: {n} of {all} messages came over the network instead of shared memory")]
    }
}

/// free returns the bytes that are free in a file system, 0 where there is none.
fn free(path: &str) -> u64 {
    let path = CString::new(path).unwrap_or_default();
    // SAFETY: the path ends with a zero byte, and a statvfs of zeros is valid.
    unsafe {
        let mut s: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &mut s) != 0 {
            return 0;
        }
        s.f_bavail * s.f_frsize
    }
}

/// cleanup removes segments of processes that are gone; those of others stay.
pub fn cleanup() {
    zenoh::shm::cleanup_orphaned_shm_segments();
}

/// leave gives up the segments of this process, and removes those that no other uses.
/// A segment has a lock of everybody who uses it, by which zenoh knows; but zenoh
/// itself leaves behind those of others that it still has in its own memory at the end.
pub fn leave() {
    for fd in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let of_zenoh = fs::read_link(fd.path())
            .is_ok_and(|file| file.starts_with("/dev/shm") && file.extension().is_some_and(|e| e == "zenoh"));
        if let (true, Some(n)) = (of_zenoh, fd.file_name().to_str().and_then(|n| n.parse().ok())) {
            // SAFETY: unlocks a file; the descriptor stays open.
            unsafe { libc::flock(n, libc::LOCK_UN) };
        }
    }
    cleanup();
}
