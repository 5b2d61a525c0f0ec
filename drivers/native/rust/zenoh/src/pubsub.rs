//! Publish and subscribe: a key for each topic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use versus::{Failure, Opened, Publisher, Setup, Subscription};
use zenoh::bytes::ZBytes;
use zenoh::pubsub;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::Wait;

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
            let bytes = sample.payload().to_bytes();
            if copies {
                copy.clear();
                copy.extend_from_slice(&bytes);
                subscription.receive(topic, &copy);
            } else {
                subscription.receive(topic, &bytes);
            }
            if let Some(m) = &memory {
                m.received(sample.payload());
            }
        });
        subscribers.push(subscriber.wait().map_err(|e| format!("zenoh can't subscribe: {e}"))?);
    }
    Ok(((), node.ready(), node.closing(subscribers)))
}

/// publish declares a publisher for each topic, and waits until each has a subscriber.
pub fn publish(s: &Setup) -> Opened<Arc<dyn Publisher>> {
    let node = open(s, true)?;
    let reliability = if node.options.best_effort { Reliability::BestEffort } else { Reliability::Reliable };
    let mut topics = Vec::new();
    for topic in 0..s.workload.topics() {
        let publisher = node.session.declare_publisher(key(topic));
        let publisher = publisher.congestion_control(node.options.congestion).express(node.options.express);
        let publisher = publisher.reliability(reliability).wait().map_err(|e| format!("zenoh can't publish: {e}"))?;
        let matched = node.matched(&publisher)?;
        topics.push(Topic { publisher, matched });
    }
    let mut ready = node.ready();
    if let Some(t) = topics.first() {
        ready.effective.insert("congestion".into(), format!("{:?}", t.publisher.congestion_control()).to_lowercase());
        ready.effective.insert("reliability".into(), format!("{:?}", t.publisher.reliability()));
        ready.effective.insert("express".into(), node.options.express.to_string());
    }
    let topics = Arc::new(Topics { topics, memory: node.memory.clone(), congestion: node.options.congestion });
    Ok((topics.clone(), ready, node.closing(topics)))
}

struct Topics {
    topics: Vec<Topic>,
    memory: Option<Arc<Memory>>,
    congestion: CongestionControl,
}

struct Topic {
    publisher: pubsub::Publisher<'static>,
    /// zenoh publishes without a subscriber, and says nothing.
    matched: Arc<AtomicBool>,
}

impl Topics {
    fn put(&self, topic: usize, message: ZBytes) -> Result<(), Failure> {
        let t = &self.topics[topic];
        if !t.matched.load(Ordering::Relaxed) {
            return Err(Failure::connection("the subscriber is gone"));
        }
        t.publisher.put(message).wait().map_err(Failure::connection)
    }
}

impl Publisher for Topics {
    fn publish(&self, topic: usize, message: &[u8]) -> Result<(), Failure> {
        match &self.memory {
            Some(m) => self.put(topic, m.copy(message, self.congestion)?),
            None => self.put(topic, message.into()),
        }
    }

    fn publish_loan(&self, topic: usize, size: usize, stamp: &dyn Fn(&mut [u8])) -> Result<(), Failure> {
        let memory = self.memory.as_ref().ok_or_else(|| Failure::other("there are no loans without shared memory"))?;
        let mut chunk = memory.take(size, self.congestion)?;
        stamp(&mut chunk);
        self.put(topic, chunk.into())
    }
}
