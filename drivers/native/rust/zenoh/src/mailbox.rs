//! Waiting for the answer to a call.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use versus::Failure;

/// How long a call may wait for its answer.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// Mailbox is where the answer to a caller's present call arrives.
pub struct Mailbox {
    present: Mutex<Present>,
    arrived: Condvar,
}

struct Present {
    number: u64, // of the call
    answer: Option<Result<usize, Failure>>,
}

impl Mailbox {
    pub fn new() -> Mailbox {
        Mailbox { present: Mutex::new(Present { number: 0, answer: None }), arrived: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// expect begins a call.
    pub fn expect(&self, number: u64) {
        *self.lock() = Present { number, answer: None };
    }

    /// deliver takes the first answer to a call, its size. One that comes after all to a
    /// call that failed is not taken for the next one's.
    pub fn deliver(&self, number: u64, answer: Result<usize, Failure>) {
        let mut present = self.lock();
        if present.number == number && present.answer.is_none() {
            present.answer = Some(answer);
            self.arrived.notify_one();
        }
    }

    /// wait waits for the answer to a query, which must have this size: zenoh itself ends
    /// a query after TIMEOUT. Waiting with a timeout would take a timer for each call.
    pub fn wait(&self, size: usize) -> Result<(), Failure> {
        let waiting = self.arrived.wait_while(self.lock(), |p| p.answer.is_none());
        check(waiting.unwrap_or_else(PoisonError::into_inner).answer.take(), size)
    }

    /// wait_timeout waits for an answer that may never come.
    pub fn wait_timeout(&self, size: usize) -> Result<(), Failure> {
        let waiting = self.arrived.wait_timeout_while(self.lock(), TIMEOUT, |p| p.answer.is_none());
        check(waiting.unwrap_or_else(PoisonError::into_inner).0.answer.take(), size)
    }
}

fn check(answer: Option<Result<usize, Failure>>, size: usize) -> Result<(), Failure> {
    match answer {
        Some(Ok(n)) if n == size => Ok(()),
        Some(Ok(_)) => Err(Failure::answer("the answer has another length than the request")),
        Some(Err(f)) => Err(f),
        None => Err(Failure::deadline(format!("no answer within {} s", TIMEOUT.as_secs()))),
    }
}
