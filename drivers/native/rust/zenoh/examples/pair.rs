//! The least that pairs of programs need for what the driver does, to be measured beside it:
//! queries and replies; two publications, as zenoh's own z_ping and z_pong; and publications
//! without a pause, as z_pub_thr and z_sub_thr. The one half, `pair ROLE ENDPOINT BYTES`, serves
//! until it is killed. The other, `pair ROLE ENDPOINT BYTES SECONDS PID`, is given the first
//! one's PID, and prints messages a second and the CPU time of both halves a message, in us.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use zenoh::bytes::ZBytes;
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::query::ConsolidationMode;
use zenoh::{Config, Session, Wait};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const WARM_UP: f64 = 0.2; // seconds

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[1..] {
        ["queryable", at, _] => answer_queries(&open(&[at], &[])?),
        ["pong", at, _] => pong(&open(&[at], &[])?),
        ["publish", at, bytes] => publish(&open(&[at], &[])?, payload(bytes)?),
        ["query", at, bytes, s, pid] => query(&open(&[], &[at])?, payload(bytes)?, s.parse()?, pid.parse()?),
        ["ping", at, bytes, s, pid] => ping(&open(&[], &[at])?, payload(bytes)?, s.parse()?, pid.parse()?),
        ["subscribe", at, _, s, pid] => subscribe(&open(&[], &[at])?, s.parse()?, pid.parse()?),
        _ => Err("pair queryable|pong|publish ENDPOINT BYTES, pair query|ping|subscribe ENDPOINT BYTES SECONDS PID".into()),
    }
}

fn payload(bytes: &str) -> Result<ZBytes> {
    Ok(vec![7u8; bytes.parse()?].into())
}

/// open opens a session that is configured as the driver's.
fn open(listen: &[&str], connect: &[&str]) -> Result<Session> {
    let mut c = Config::default();
    c.insert_json5("listen/endpoints", &format!("{listen:?}"))?;
    c.insert_json5("connect/endpoints", &format!("{connect:?}"))?;
    c.insert_json5("scouting/multicast/enabled", "false")?;
    c.insert_json5("scouting/gossip/enabled", "false")?;
    c.insert_json5("transport/shared_memory/enabled", "false")?;
    zenoh::open(c).wait()
}

fn publisher(session: &Session, key: &'static str, express: bool) -> Result<Publisher<'static>> {
    session.declare_publisher(key).congestion_control(CongestionControl::Block).express(express).wait()
}

fn matched(mut matching: impl FnMut() -> Result<bool>) -> Result<()> {
    while !matching()? {
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn answer_queries(session: &Session) -> Result<()> {
    let queryable = session.declare_queryable("query").complete(true).callback(|query| {
        if let Some(payload) = query.payload() {
            let _ = query.reply("query", payload.clone()).wait();
        }
    });
    let _queryable = queryable.wait()?;
    loop {
        thread::park();
    }
}

fn query(session: &Session, payload: ZBytes, seconds: f64, pid: i32) -> Result<()> {
    let querier = session.declare_querier("query").consolidation(ConsolidationMode::None).wait()?;
    matched(|| Ok(querier.matching_status().wait()?.matching()))?;
    measure(seconds, pid, || {
        querier.get().payload(payload.clone()).wait()?.recv()?;
        Ok(())
    })
}

fn pong(session: &Session) -> Result<()> {
    let publisher = publisher(session, "pong", true)?;
    let echo = session.declare_subscriber("ping").callback(move |sample| {
        let _ = publisher.put(sample.payload().clone()).wait();
    });
    echo.background().wait()?;
    loop {
        thread::park();
    }
}

fn ping(session: &Session, payload: ZBytes, seconds: f64, pid: i32) -> Result<()> {
    let answers = session.declare_subscriber("pong").wait()?;
    let publisher = publisher(session, "ping", true)?;
    matched(|| Ok(publisher.matching_status().wait()?.matching()))?;
    measure(seconds, pid, || {
        publisher.put(payload.clone()).wait()?;
        answers.recv()?;
        Ok(())
    })
}

/// measure makes calls one after the other.
fn measure(seconds: f64, pid: i32, mut call: impl FnMut() -> Result<()>) -> Result<()> {
    let mut run = |seconds: f64| -> Result<(u64, f64)> {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < seconds {
            call()?;
            calls += 1;
        }
        Ok((calls, start.elapsed().as_secs_f64()))
    };
    run(WARM_UP)?;
    let before = cpu(pid);
    let (calls, took) = run(seconds)?;
    say(calls, took, cpu(pid) - before);
    Ok(())
}

fn publish(session: &Session, payload: ZBytes) -> Result<()> {
    let publisher = publisher(session, "flood", false)?;
    matched(|| Ok(publisher.matching_status().wait()?.matching()))?;
    loop {
        publisher.put(payload.clone()).wait()?;
    }
}

fn subscribe(session: &Session, seconds: f64, pid: i32) -> Result<()> {
    let arrived = Arc::new(AtomicU64::new(0));
    let (count, mut n) = (arrived.clone(), 0);
    let subscriber = session.declare_subscriber("flood").callback_mut(move |_| {
        n += 1;
        count.store(n, Ordering::Relaxed);
    });
    subscriber.background().wait()?;
    while arrived.load(Ordering::Relaxed) == 0 {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_secs_f64(WARM_UP));
    let (start, first, before) = (Instant::now(), arrived.load(Ordering::Relaxed), cpu(pid));
    thread::sleep(Duration::from_secs_f64(seconds));
    say(arrived.load(Ordering::Relaxed) - first, start.elapsed().as_secs_f64(), cpu(pid) - before);
    Ok(())
}

fn say(messages: u64, seconds: f64, cpu: f64) {
    println!("{:.1} {:.4}", messages as f64 / seconds, cpu * 1e6 / messages as f64);
}

/// cpu is the CPU time of this process and the other half, seconds.
fn cpu(pid: i32) -> f64 {
    // The clock of a process by its PID, see clock_getcpuclockid(3).
    let clock = |id| {
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: t is a valid timespec.
        unsafe { libc::clock_gettime(id, &mut t) };
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    };
    clock(libc::CLOCK_PROCESS_CPUTIME_ID) + clock((!pid << 3) | 2)
}
