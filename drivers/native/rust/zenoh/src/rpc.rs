//! Request and response: a querier asks, a queryable replies.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use versus::{Caller, Failure, Opened, Setup};
use zenoh::bytes::ZBytes;
use zenoh::qos::CongestionControl;
use zenoh::query::{ConsolidationMode, Querier, QueryTarget, Reply};
use zenoh::Wait;

use crate::memory::Memory;
use crate::session::open;

const KEY: &str = "versus/call";

/// How long a call may wait for its answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// serve replies to every query with its own payload.
pub fn serve(s: &Setup) -> Opened<()> {
    let node = open(s, true)?;
    let (memory, congestion) = (node.memory.clone(), node.options.congestion);
    let queryable = node.session.declare_queryable(KEY).complete(true).callback(move |query| {
        let Some(payload) = query.payload() else { return };
        let answer = match &memory {
            // An answer of its own, as a server makes one, and not the question again.
            Some(m) => {
                m.received(payload);
                m.copy(&payload.to_bytes(), congestion)
            }
            None => Ok(payload.clone()),
        };
        let sent = match answer {
            Ok(answer) => query.reply(KEY, answer).wait(),
            Err(f) => query.reply_err(f.text).wait(),
        };
        if let Err(e) = sent {
            eprintln!("zenoh can't reply: {e}");
        }
    });
    let queryable = queryable.wait().map_err(|e| format!("zenoh can't serve: {e}"))?;
    Ok(((), node.ready(), node.closing(queryable)))
}

/// call opens n callers in one session, as one application has one.
pub fn call(s: &Setup, n: usize) -> Opened<Vec<Box<dyn Caller>>> {
    let node = open(s, true)?;
    let o = &node.options;
    let mut callers: Vec<Box<dyn Caller>> = Vec::new();
    let content = s.workload.payload.content();
    for _ in 0..n {
        // The one answer must not wait for others that could be newer.
        let querier = node.session.declare_querier(KEY).consolidation(ConsolidationMode::None).timeout(TIMEOUT);
        let querier = querier.target(QueryTarget::BestMatching).congestion_control(o.congestion).express(o.express);
        let querier = querier.wait().map_err(|e| format!("zenoh can't call: {e}"))?;
        node.wait("server", || querier.matching_status().wait().is_ok_and(|m| m.matching()))?;
        callers.push(Box::new(Queries {
            querier,
            payload: content.clone().into(),
            content: content.clone(),
            memory: node.memory.clone(),
            congestion: o.congestion,
            mailbox: Arc::default(),
            number: 0,
        }));
    }
    let mut ready = node.ready();
    for (name, value) in [
        ("congestion", format!("{:?}", o.congestion).to_lowercase()),
        ("express", o.express.to_string()),
        ("connections", "1".into()),
        ("consolidation", "none".into()),
    ] {
        ready.effective.insert(name.into(), value);
    }
    let closing = node.closing(());
    Ok((callers, ready, closing))
}

struct Queries {
    querier: Querier<'static>,
    payload: ZBytes,
    content: Vec<u8>,
    memory: Option<Arc<Memory>>,
    congestion: CongestionControl,
    mailbox: Arc<Mailbox>,
    number: u64, // of the call
}

/// Mailbox is where the answer to a caller's present call arrives.
#[derive(Default)]
struct Mailbox {
    answer: Mutex<(u64, Option<Result<usize, Failure>>)>, // number of the call, size
    arrived: Condvar,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, (u64, Option<Result<usize, Failure>>)> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// deliver takes the first answer to a call. One that comes after all to a call that
    /// failed is not taken for the next one's.
    fn deliver(&self, number: u64, answer: Result<usize, Failure>) {
        let mut box_ = self.lock();
        if box_.0 == number && box_.1.is_none() {
            box_.1 = Some(answer);
            self.arrived.notify_one();
        }
    }
}

/// Pending is held by the query's callback, which zenoh drops when no answer can come
/// any more.
struct Pending {
    mailbox: Arc<Mailbox>,
    number: u64,
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.mailbox.deliver(self.number, Err(Failure::connection("no server answers")));
    }
}

fn size(reply: &Reply) -> Result<usize, Failure> {
    match reply.result() {
        Ok(sample) => Ok(sample.payload().len()),
        Err(e) => match e.payload().try_to_string() {
            Ok(text) if text == "Timeout" => Err(Failure::deadline(format!("no answer within {} s", TIMEOUT.as_secs()))),
            Ok(text) => Err(Failure::other(text)),
            Err(_) => Err(Failure::other("the server has failed")),
        },
    }
}

impl Caller for Queries {
    fn call(&mut self) -> Result<(), Failure> {
        self.number += 1;
        *self.mailbox.lock() = (self.number, None);
        let payload = match &self.memory {
            Some(m) => m.copy(&self.content, self.congestion)?,
            None => self.payload.clone(),
        };
        let pending = Pending { mailbox: self.mailbox.clone(), number: self.number };
        let memory = self.memory.clone();
        let query = self.querier.get().payload(payload).callback(move |reply: Reply| {
            pending.mailbox.deliver(pending.number, size(&reply));
            if let (Some(m), Ok(sample)) = (&memory, reply.result()) {
                m.received(sample.payload());
            }
        });
        query.wait().map_err(Failure::connection)?;
        let waiting = self.mailbox.arrived.wait_timeout_while(self.mailbox.lock(), 2 * TIMEOUT, |b| b.1.is_none());
        let mut box_ = waiting.unwrap_or_else(PoisonError::into_inner).0;
        match box_.1.take() {
            Some(Ok(n)) if n == self.content.len() => Ok(()),
            Some(Ok(_)) => Err(Failure::answer("the answer has another length than the request")),
            Some(Err(f)) => Err(f),
            None => Err(Failure::deadline("zenoh never ended a query")),
        }
    }
}
