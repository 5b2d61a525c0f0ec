//! Publish and subscribe: a key for each topic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use versus::{Failure, Opened, Publisher, Setup, Stamp, Subscription};
use zenoh::bytes::ZBytes;
use zenoh::pubsub;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::Wait;
use zenoh_buffers::ZBuf;

use crate::memory::Memory;
use crate::session::open;

fn key(topic: usize) -> String {
    format!("versus/topic/{topic}")
}

/// subscribe subscribes to all topics. zenoh calls from the thread that reads the
/// connection.
pub fn subscribe(s: &Setup, subscription: Arc<Subscription>) -> Opened<()> {
    let node = open(s, false)?;
    let copies = node.memory.is_some() && s.workload.transfer != "loan";
    let mut subscribers = Vec::new();
    for topic in 0..s.workload.topics() {
        let (subscription, memory) = (subscription.clone(), node.memory.clone());
        let mut copy = Vec::new();
        let subscriber = node.session.declare_subscriber(key(topic)).callback_mut(move |sample| {
            let payload = sample.payload();
            let head = payload.slices().next().unwrap_or_default();
            if let Some(m) = &memory {
                m.received(payload); // first: with the last message the run may end
            }
            if copies {
                copy.clear();
                payload.slices().for_each(|part| copy.extend_from_slice(part));
                subscription.receive(topic, &copy);
            } else if head.len() >= Stamp::SIZE {
                subscription.receive_head(topic, head, payload.len());
            } else {
                subscription.receive(topic, &payload.to_bytes());
            }
        });
        subscribers.push(subscriber.wait().map_err(|e| format!("zenoh can't subscribe: {e}"))?);
    }
    Ok(((), node.ready(), node.closing(subscribers)))
}

/// publish declares a publisher for each of n topics, and returns when each has a subscriber.
pub fn publish(s: &Setup, n: usize) -> Opened<Vec<Box<dyn Publisher>>> {
    let node = open(s, true)?;
    let reliability = if node.options.best_effort { Reliability::BestEffort } else { Reliability::Reliable };
    let content = s.workload.payload.content();
    let mut ready = node.ready();
    let mut topics: Vec<Box<dyn Publisher>> = Vec::new();
    for topic in 0..n {
        let publisher = node.session.declare_publisher(key(topic));
        let publisher = publisher.congestion_control(node.options.congestion).express(node.options.express);
        let publisher = publisher.reliability(reliability).wait().map_err(|e| format!("zenoh can't publish: {e}"))?;
        for (name, value) in [
            ("congestion", format!("{:?}", publisher.congestion_control()).to_lowercase()),
            ("reliability", format!("{:?}", publisher.reliability())),
            ("express", node.options.express.to_string()),
        ] {
            ready.effective.insert(name.into(), value);
        }
        let matched = node.matched(&publisher)?;
        topics.push(Box::new(Topic {
            publisher,
            matched,
            buffer: Arc::new(content.clone()),
            memory: node.memory.clone(),
            congestion: node.options.congestion,
        }));
    }
    let closing = node.closing(());
    Ok((topics, ready, closing))
}

struct Topic {
    publisher: pubsub::Publisher<'static>,
    /// zenoh publishes without a subscriber, and says nothing.
    matched: Arc<AtomicBool>,
    /// The payload, sent again and again as z_pub_thr does.
    buffer: Arc<Vec<u8>>,
    memory: Option<Arc<Memory>>,
    congestion: CongestionControl,
}

impl Topic {
    fn gone(&self) -> bool {
        !self.matched.load(Ordering::Relaxed)
    }

    fn put(&self, message: ZBytes) -> Result<(), Failure> {
        if self.gone() {
            return Err(Failure::connection("the subscriber is gone"));
        }
        self.publisher.put(message).wait().map_err(Failure::connection)
    }

    /// stamped is the message in the buffer, of which the beginning alone is new; or in
    /// another one, as long as zenoh has that.
    fn stamped(&mut self, message: &[u8]) -> ZBytes {
        match Arc::get_mut(&mut self.buffer) {
            Some(buffer) => buffer[..Stamp::SIZE].copy_from_slice(&message[..Stamp::SIZE]),
            None => self.buffer = Arc::new(message.to_vec()),
        }
        ZBuf::from(self.buffer.clone()).into()
    }
}

impl Publisher for Topic {
    fn publish(&mut self, message: &[u8]) -> Result<(), Failure> {
        let message = match &self.memory {
            Some(m) => m.copy(message, self.congestion, || self.gone())?,
            None => self.stamped(message),
        };
        self.put(message)
    }

    fn publish_loan(&mut self, size: usize, stamp: &dyn Fn(&mut [u8])) -> Result<(), Failure> {
        let memory = self.memory.as_ref().ok_or_else(|| Failure::other("there are no loans without shared memory"))?;
        let mut chunk = memory.take(size, self.congestion, || self.gone())?;
        stamp(&mut chunk);
        self.put(chunk.into())
    }
}
