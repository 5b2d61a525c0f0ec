//! The worker's side of the protocol for drivers written in Rust: the
//! conversation, the load loops (closed, open, publish), pacing, recording, CPU
//! and memory. A backend brings only what is its own: how to serve, and how to
//! make one call or publish one message.
//!
//! It does what drivers/worker, the Go kit, does, and is tested with the same
//! vectors; docs/worker-protocol.md, "How to measure", has the rules.

mod clock;
mod closed;
mod load;
mod open;
mod protocol;
mod publish;
mod recorder;
mod session;
mod stamp;
mod subscription;
mod usage;
mod windows;
mod workload;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

pub use protocol::{MAX_LINE, VERSION};
pub use session::run;
pub use stamp::Stamp;
pub use subscription::Subscription;
pub use workload::{Extent, Payload, Workload};

/// For the tests that hold the parts of the kit against the Go kit.
#[doc(hidden)]
pub mod parts {
    pub use crate::clock::Pacer;
    pub use crate::load::slots_within;
    pub use crate::protocol::parse;
    pub use crate::recorder::{index, Recorder};
    pub use crate::stamp::Stamp;
    pub use crate::subscription::Sequences;
    pub use crate::windows::{add_windows, Windows};
}

/// Addresses or settings by name.
pub type Names = BTreeMap<String, String>;

/// Setup is what a role is given to prepare itself.
pub struct Setup {
    pub workload: Workload,
    /// The addresses of the roles that became ready before, by role and name:
    /// `peers["server"]["address"]`.
    pub peers: BTreeMap<String, Names>,
    /// The address of this host at which other roles reach it.
    pub listen: IpAddr,
    /// Whoever waits long in opening a role has to look at it.
    pub halt: Arc<load::Halt>,
}

/// Ready is what a prepared role reports.
#[derive(Default)]
pub struct Ready {
    /// What later roles need to reach this one.
    pub addresses: Names,
    /// Settings really in force: versions, transport, threads.
    pub effective: Names,
    /// Asked when the window is over: remarks for the audit, "fallback: ...".
    pub remarks: Option<Box<dyn FnMut() -> Vec<String> + Send>>,
}

/// Closing stops a role and frees everything. It is called after the last call.
pub type Closing = Box<dyn FnOnce() + Send>;

/// Failure is a failed call or publication.
#[derive(Debug, Clone)]
pub struct Failure {
    /// A short name of a-z, 0-9 and _ that a scenario sees as the metric errors.KIND.
    pub kind: &'static str,
    pub text: String,
}

impl Failure {
    /// No answer in time.
    pub fn deadline(text: impl ToString) -> Failure {
        Failure { kind: "deadline", text: text.to_string() }
    }
    /// Refused, reset, closed.
    pub fn connection(text: impl ToString) -> Failure {
        Failure { kind: "connection", text: text.to_string() }
    }
    /// An answer of the wrong length.
    pub fn answer(text: impl ToString) -> Failure {
        Failure { kind: "answer", text: text.to_string() }
    }
    pub fn other(text: impl ToString) -> Failure {
        Failure { kind: "other", text: text.to_string() }
    }
}

/// Caller makes calls one at a time. Callers of one client are used by different
/// threads side by side, but each by one at a time.
pub trait Caller: Send {
    /// call sends the workload's payload and waits for the answer, checking that
    /// it has the expected length.
    fn call(&mut self) -> Result<(), Failure>;
}

/// Publisher publishes on one topic. Those of different topics are used by different
/// threads side by side, but each by one at a time.
pub trait Publisher: Send {
    /// publish sends one message, stamped already. It is the kit's buffer, valid only
    /// until publish returns; from one message to the next only the stamp changes.
    fn publish(&mut self, message: &[u8]) -> Result<(), Failure>;

    /// publish_loan is for `transfer = "loan"`: it takes memory of the
    /// middleware, has stamp write the beginning, and sends it from there. What
    /// filling the rest takes is the application's, not the middleware's.
    fn publish_loan(&mut self, _size: usize, _stamp: &dyn Fn(&mut [u8])) -> Result<(), Failure> {
        Err(Failure::other("this driver has no loans"))
    }
}

/// Opened is a role that is ready, and how to end it; an error is for people.
pub type Opened<T> = Result<(T, Ready, Closing), String>;

pub type Callers = Vec<Box<dyn Caller>>;
pub type Publishers = Vec<Box<dyn Publisher>>;

/// Role says how to open a role of a driver.
pub enum Role {
    /// A passive role that serves until it is closed: a server or a broker.
    Server(fn(&Setup) -> Opened<()>),
    /// Opens so many callers, connected and ready to call.
    Client(fn(&Setup, usize) -> Opened<Callers>),
    /// Opens the publishers of so many topics.
    Publisher(fn(&Setup, usize) -> Opened<Publishers>),
    /// Subscribes to all topics, and hands each message to the subscription, from one
    /// thread at a time for each topic.
    Subscriber(fn(&Setup, Arc<Subscription>) -> Opened<()>),
}

pub use load::Halt;

/// locked returns the version of a package that a Cargo.lock pins.
pub fn locked(package: &str, lock: &str) -> String {
    let name = format!("name = \"{package}\"\nversion = \"");
    let rest = lock.split_once(&name).map_or("", |(_, rest)| rest);
    rest.split('"').next().unwrap_or("").to_string()
}
