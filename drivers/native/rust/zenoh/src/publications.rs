//! Request and response by publications: two keys for each caller, as z_ping and z_pong
//! and AimRT have them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use versus::{Caller, Failure, Opened, Ready, Setup};
use zenoh::bytes::ZBytes;
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::Wait;

use crate::mailbox::{watch, Mailbox};
use crate::memory::Memory;
use crate::session::{open, Node};

fn request(caller: usize) -> String {
    format!("versus/request/{caller}")
}

fn response(caller: usize) -> String {
    format!("versus/response/{caller}")
}

fn publisher(node: &Node, key: String) -> Result<Publisher<'static>, String> {
    let p = node.session.declare_publisher(key).congestion_control(node.options.congestion);
    p.express(node.options.express).wait().map_err(|e| format!("zenoh can't publish: {e}"))
}

fn ready(node: &Node) -> Ready {
    let mut ready = node.ready();
    for (name, value) in [
        ("request", "publication".to_string()),
        ("congestion", format!("{:?}", node.options.congestion).to_lowercase()),
        ("express", node.options.express.to_string()),
    ] {
        ready.effective.insert(name.into(), value);
    }
    ready
}

/// serve publishes the payload of every request again, with its attachment if it has one:
/// that tells the caller which call it answers.
pub fn serve(s: &Setup) -> Opened<()> {
    let node = open(s, true)?;
    let mut subscribers = Vec::new();
    for caller in 0..s.workload.concurrency() * s.workload.in_flight() {
        let (answers, memory) = (publisher(&node, response(caller))?, node.memory.clone());
        let congestion = node.options.congestion;
        let subscriber = node.session.declare_subscriber(request(caller)).callback(move |sample| {
            let payload = sample.payload();
            let answer = match &memory {
                Some(m) => {
                    m.received(payload);
                    m.copy(&payload.to_bytes(), congestion, || false)
                }
                None => Ok(payload.clone()),
            };
            let sent = answer.map_err(|f| f.text).and_then(|answer| {
                let put = answers.put(answer).attachment(sample.attachment().cloned());
                put.wait().map_err(|e| e.to_string())
            });
            if let Err(e) = sent {
                eprintln!("zenoh can't answer: {e}");
            }
        });
        subscribers.push(subscriber.wait().map_err(|e| format!("zenoh can't subscribe: {e}"))?);
    }
    Ok(((), ready(&node), node.closing(subscribers)))
}

/// call opens n callers in one session, as one application has one.
pub fn call(s: &Setup, n: usize) -> Opened<Vec<Box<dyn Caller>>> {
    let node = open(s, true)?;
    let mut callers: Vec<Box<dyn Caller>> = Vec::new();
    let mut subscribers = Vec::new();
    let content = s.workload.payload.content();
    let mailboxes: Vec<_> = (0..n).map(|_| Arc::new(Mailbox::new())).collect();
    watch(&mailboxes);
    for (caller, mailbox) in mailboxes.into_iter().enumerate() {
        let (answers, memory) = (mailbox.clone(), node.memory.clone());
        let subscriber = node.session.declare_subscriber(response(caller)).callback(move |sample| {
            if let Some(m) = &memory {
                m.received(sample.payload()); // first: with the last answer the run may end
            }
            let number = sample.attachment().and_then(|a| a.to_bytes().as_ref().try_into().ok());
            answers.deliver(number.map_or(0, u64::from_le_bytes), Ok(sample.payload().len()));
        });
        subscribers.push(subscriber.wait().map_err(|e| format!("zenoh can't subscribe: {e}"))?);
        let publisher = publisher(&node, request(caller))?;
        let matched = node.matched(&publisher)?;
        callers.push(Box::new(Requests {
            publisher,
            matched,
            payload: content.clone().into(),
            content: content.clone(),
            memory: node.memory.clone(),
            congestion: node.options.congestion,
            mailbox,
            generation: 0,
        }));
    }
    Ok((callers, ready(&node), node.closing(subscribers)))
}

struct Requests {
    publisher: Publisher<'static>,
    matched: Arc<AtomicBool>,
    payload: ZBytes,
    content: Vec<u8>,
    memory: Option<Arc<Memory>>,
    congestion: CongestionControl,
    mailbox: Arc<Mailbox>,
    /// How many calls have failed: the answer to one of them may still come. Until then no
    /// call needs a number, which z_ping's have not.
    generation: u64,
}

impl Requests {
    fn gone(&self) -> bool {
        !self.matched.load(Ordering::Relaxed)
    }

    fn ask(&self) -> Result<(), Failure> {
        let payload = match &self.memory {
            Some(m) => m.copy(&self.content, self.congestion, || self.gone())?,
            None => self.payload.clone(),
        };
        self.mailbox.expect(self.generation);
        let mut put = self.publisher.put(payload);
        if self.generation > 0 {
            put = put.attachment(self.generation.to_le_bytes());
        }
        put.wait().map_err(Failure::connection)?;
        self.mailbox.wait(self.content.len())
    }
}

impl Caller for Requests {
    fn call(&mut self) -> Result<(), Failure> {
        if self.gone() {
            return Err(Failure::connection("the server is gone"));
        }
        let answered = self.ask();
        self.generation += u64::from(answered.is_err());
        answered
    }
}
