//! Waiting for the answer to a call.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use versus::Failure;

/// How long a call may wait for its answer.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// Mailbox is where the answer to a caller's present call arrives.
pub struct Mailbox {
    present: Mutex<Present>,
    arrived: Condvar,
}

struct Present {
    call: u64,   // how many there have been
    number: u64, // that its answer must have
    answer: Option<Result<usize, Failure>>,
}

impl Mailbox {
    pub fn new() -> Mailbox {
        Mailbox { present: Mutex::new(Present { call: 0, number: 0, answer: None }), arrived: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// expect begins a call.
    pub fn expect(&self, number: u64) {
        let mut present = self.lock();
        *present = Present { call: present.call + 1, number, answer: None };
    }

    /// deliver takes the first answer to a call, its size. One that comes after all to a
    /// call that failed is not taken for the next one's.
    pub fn deliver(&self, number: u64, answer: Result<usize, Failure>) {
        let present = self.lock();
        if present.number == number {
            self.settle(present, answer);
        }
    }

    fn settle(&self, mut present: MutexGuard<'_, Present>, answer: Result<usize, Failure>) {
        if present.answer.is_none() {
            present.answer = Some(answer);
            drop(present); // or the caller would wake only to wait for it: two system calls a call
            self.arrived.notify_one();
        }
    }

    /// wait waits for the answer, which must have this size. It has no timeout of its own,
    /// which would take a timer of the kernel for each call: zenoh ends a query after
    /// TIMEOUT, and watch a call of another kind.
    pub fn wait(&self, size: usize) -> Result<(), Failure> {
        let waiting = self.arrived.wait_while(self.lock(), |p| p.answer.is_none());
        match waiting.unwrap_or_else(PoisonError::into_inner).answer.take() {
            Some(Ok(n)) if n == size => Ok(()),
            Some(Err(f)) => Err(f),
            _ => Err(Failure::answer("the answer has another length than the request")),
        }
    }

    /// expire fails the call that has waited for TIMEOUT; seen is the call that was present
    /// when it was last asked, and since when.
    fn expire(&self, seen: &mut (u64, Instant)) {
        let present = self.lock();
        if seen.0 != present.call {
            *seen = (present.call, Instant::now());
        } else if seen.1.elapsed() > TIMEOUT {
            self.settle(present, Err(no_answer()));
        }
    }
}

pub fn no_answer() -> Failure {
    Failure::deadline(format!("no answer within {} s", TIMEOUT.as_secs()))
}

/// watch ends calls that get no answer, as long as there are callers.
pub fn watch(mailboxes: &[Arc<Mailbox>]) {
    let mut watched: Vec<(Weak<Mailbox>, _)> = mailboxes.iter().map(|m| (Arc::downgrade(m), (0, Instant::now()))).collect();
    thread::spawn(move || {
        while !watched.is_empty() {
            thread::sleep(TIMEOUT / 20);
            watched.retain_mut(|(mailbox, seen)| mailbox.upgrade().map(|m| m.expire(seen)).is_some());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_and_second_answers_are_not_taken() {
        let m = Mailbox::new();
        m.expect(0);
        m.deliver(0, Ok(3));
        m.deliver(0, Ok(4));
        assert!(m.wait(3).is_ok());
        m.expect(1); // the call before has failed
        m.deliver(0, Ok(5));
        m.deliver(1, Ok(6));
        assert_eq!(m.wait(5).expect_err("another length").kind, "answer");
    }

    #[test]
    fn only_the_call_that_waited_is_ended() {
        let m = Mailbox::new();
        let long_ago = Instant::now().checked_sub(2 * TIMEOUT).expect("this machine runs for 10 s");
        m.expect(0);
        let mut seen = (0, long_ago);
        m.expire(&mut seen); // seen for the first time
        m.deliver(0, Ok(3));
        assert!(m.wait(3).is_ok());
        m.expect(0);
        seen = (2, long_ago);
        m.expire(&mut seen);
        m.deliver(0, Ok(3));
        assert_eq!(m.wait(3).expect_err("ended").kind, "deadline");
    }
}
