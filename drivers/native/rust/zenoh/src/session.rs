//! The zenoh session of a role: how it finds the others, and what is really in force.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use versus::{Closing, Halt, Names, Opened, Ready, Setup};
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::{Config, Session, Wait};

use crate::memory::{cleanup, leave, Memory};

/// How long to wait for the other side: to connect, and until it is known.
const PATIENCE: Duration = Duration::from_secs(10);

/// Options are the arguments of the `backend "zenoh"` block.
pub struct Options {
    router: bool,
    shared_memory: bool,
    pub congestion: CongestionControl,
    pub express: bool,
    batching: bool,
    pub best_effort: bool,
}

impl Options {
    pub fn read(s: &Setup) -> Options {
        let w = &s.workload;
        Options {
            router: w.text("mode", "peer") == "router",
            shared_memory: w.flag("shared_memory", false),
            congestion: match w.text("congestion", "block") {
                "drop" => CongestionControl::Drop,
                _ => CongestionControl::Block,
            },
            express: w.flag("express", false),
            batching: w.flag("batching", true),
            best_effort: w.text("reliability", "reliable") == "best_effort",
        }
    }
}

/// Node is a role's session.
pub struct Node {
    pub session: Session,
    pub options: Options,
    pub memory: Option<Arc<Memory>>,
    at: IpAddr,
    halt: Arc<Halt>,
}

/// open opens the session of a role. The first of a run listens on a free port of the
/// address that it is told, the others connect to it; nobody looks for anybody else. A
/// role that sends needs memory to share.
pub fn open(s: &Setup, sends: bool) -> Result<Node, String> {
    cleanup(); // what a run that was killed has left
    let options = Options::read(s);
    let first = s.peers.values().find_map(|addresses| addresses.get("address"));
    let mode = match (options.router, first) {
        (false, _) => "peer",
        (true, None) => "router",
        (true, Some(_)) => "client",
    };
    let listen: Vec<_> = first.is_none().then(|| format!("tcp/{}", SocketAddr::new(s.listen, 0))).into_iter().collect();
    let connect: Vec<_> = first.into_iter().collect();
    let mut config = Config::default();
    for (key, value) in [
        ("mode", json!(mode)),
        ("listen/endpoints", json!(listen)),
        ("connect/endpoints", json!(connect)),
        ("connect/timeout_ms", json!(PATIENCE.as_millis() as u64)),
        ("connect/exit_on_failure", json!(true)),
        ("scouting/multicast/enabled", json!(false)),
        ("scouting/gossip/enabled", json!(false)),
        ("transport/link/tx/queue/batching/enabled", json!(options.batching)),
        ("transport/shared_memory/enabled", json!(options.shared_memory)),
        ("transport/shared_memory/mode", json!("init")),
        // It would move large messages to shared memory of its own accord.
        ("transport/shared_memory/transport_optimization/enabled", json!(false)),
    ] {
        config.insert_json5(key, &value.to_string()).map_err(|e| format!("zenoh's setting {key}: {e}"))?;
    }
    let memory = options.shared_memory.then(|| Memory::new(s, sends)).transpose()?;
    let session = zenoh::open(config).wait().map_err(|e| match first {
        Some(address) => format!("zenoh can't connect to {address}: {e}"),
        None => format!("zenoh can't listen at {}: {e}", s.listen),
    })?;
    Ok(Node { session, options, memory, at: s.listen, halt: s.halt.clone() })
}

impl Node {
    /// wait waits until the other side is known, in zenoh's words until it matches.
    pub fn wait(&self, whom: &str, mut matches: impl FnMut() -> bool) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        while !matches() {
            if Instant::now() > end || self.halt.halted() {
                let name = if self.options.router { "the router" } else { "its address" };
                return Err(format!("no {whom} was found through {name} within {} s", PATIENCE.as_secs()));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// matched waits until a publisher has a subscriber, and returns what tells from then on
    /// whether it still has one: zenoh publishes without, and says nothing.
    pub fn matched(&self, publisher: &Publisher<'static>) -> Result<Arc<AtomicBool>, String> {
        let matched = Arc::new(AtomicBool::new(true));
        let seen = matched.clone();
        let listener = publisher.matching_listener().callback(move |m| seen.store(m.matching(), Ordering::Relaxed));
        listener.background().wait().map_err(|e| format!("zenoh can't publish: {e}"))?;
        self.wait("subscriber", || publisher.matching_status().wait().is_ok_and(|m| m.matching()))?;
        Ok(matched)
    }

    /// ready is what a role reports: where it listens, and the settings in force as
    /// zenoh tells them.
    pub fn ready(&self) -> Ready {
        let config = self.session.config();
        let get = |key: &str| config.get(key).unwrap_or_else(|_| "unknown".into()).trim_matches('"').to_string();
        let transports: Vec<_> = self.session.info().transports().wait().collect();
        let links: Vec<_> = self.session.info().links().wait().map(|l| format!("{} to {}", l.src(), l.dst())).collect();
        let mut effective: Names = [
            ("zenoh", versus::locked("zenoh", include_str!("../../Cargo.lock"))),
            ("mode", get("mode")),
            ("scouting", format!("multicast {}, gossip {}", get("scouting/multicast/enabled"), get("scouting/gossip/enabled"))),
            ("batching", get("transport/link/tx/queue/batching/enabled")),
            ("shared_memory", get("transport/shared_memory/enabled")),
            ("transport", format!("TCP{}, no TLS, no compression", if self.at.is_loopback() { " over loopback" } else { "" })),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .into();
        if !links.is_empty() {
            effective.insert("links".into(), links.join(", "));
        }
        if let Some(memory) = self.memory.as_ref().filter(|m| m.pool > 0) {
            effective.insert("shared_memory_pool".into(), format!("{} bytes", memory.pool));
        }
        if self.memory.is_some() && !transports.is_empty() {
            let shared = transports.iter().filter(|t| t.is_shm()).count();
            effective.insert("shared_memory_transports".into(), format!("{shared} of {}", transports.len()));
        }
        let locators = self.session.info().locators().wait();
        let ours = SocketAddr::new(self.at, 0).to_string();
        let ours = format!("tcp/{}", ours.trim_end_matches('0'));
        let listens = locators.iter().map(|l| l.to_string()).find(|l| l.starts_with(&ours));
        let remarks = self.memory.clone().map(|m| Box::new(move || m.remarks()) as Box<dyn FnMut() -> Vec<String> + Send>);
        let addresses = listens.map(|l| ("address".to_string(), l)).into_iter().collect();
        Ready { addresses, effective, remarks }
    }

    /// closing ends the session. What has been declared in it must be dropped with it.
    pub fn closing(&self, declared: impl Send + 'static) -> Closing {
        let session = self.session.clone();
        Box::new(move || {
            drop(declared);
            let _ = session.close().wait();
            leave();
        })
    }
}

/// route is the router, the same code as the zenohd program.
pub fn route(s: &Setup) -> Opened<()> {
    let node = open(s, false)?;
    Ok(((), node.ready(), node.closing(())))
}
