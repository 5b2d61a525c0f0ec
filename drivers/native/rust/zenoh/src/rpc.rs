//! Request and response: a querier asks, a queryable replies.

use std::sync::Arc;

use versus::{Caller, Failure, Opened, Setup};
use zenoh::bytes::ZBytes;
use zenoh::qos::CongestionControl;
use zenoh::query::{ConsolidationMode, Querier, QueryTarget, Reply};
use zenoh::Wait;

use crate::mailbox::{no_answer, Mailbox, TIMEOUT};
use crate::memory::Memory;
use crate::publications;
use crate::session::open;

const KEY: &str = "versus/call";

/// serve replies to every query with its own payload.
pub fn serve(s: &Setup) -> Opened<()> {
    if s.workload.text("request", "query") == "publication" {
        return publications::serve(s);
    }
    let node = open(s, true)?;
    let (memory, congestion) = (node.memory.clone(), node.options.congestion);
    let queryable = node.session.declare_queryable(KEY).complete(true).callback(move |query| {
        let Some(payload) = query.payload() else { return };
        let answer = match &memory {
            // An answer of its own, as a server makes one, and not the question again.
            Some(m) => {
                m.received(payload);
                m.copy(&payload.to_bytes(), congestion, || false)
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
    if s.workload.text("request", "query") == "publication" {
        return publications::call(s, n);
    }
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
            mailbox: Arc::new(Mailbox::new()),
            number: 0,
        }));
    }
    let mut ready = node.ready();
    for (name, value) in [
        ("congestion", format!("{:?}", o.congestion).to_lowercase()),
        ("express", o.express.to_string()),
        ("request", "query".into()),
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
            Ok(text) if text == "Timeout" => Err(no_answer()),
            Ok(text) => Err(Failure::other(text)),
            Err(_) => Err(Failure::other("the server has failed")),
        },
    }
}

impl Caller for Queries {
    fn call(&mut self) -> Result<(), Failure> {
        self.number += 1;
        self.mailbox.expect(self.number);
        let payload = match &self.memory {
            Some(m) => m.copy(&self.content, self.congestion, || {
                self.querier.matching_status().wait().is_ok_and(|status| !status.matching())
            })?,
            None => self.payload.clone(),
        };
        let pending = Pending { mailbox: self.mailbox.clone(), number: self.number };
        let memory = self.memory.clone();
        let query = self.querier.get().payload(payload).callback(move |reply: Reply| {
            if let (Some(m), Ok(sample)) = (&memory, reply.result()) {
                m.received(sample.payload()); // first: with the last answer the run may end
            }
            pending.mailbox.deliver(pending.number, size(&reply));
        });
        query.wait().map_err(Failure::connection)?;
        self.mailbox.wait(self.content.len())
    }
}
