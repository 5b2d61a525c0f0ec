//! The least that a pair of programs needs for queries and replies: what the driver is
//! measured beside. `query_pair server ENDPOINT`, `query_pair client ENDPOINT BYTES SECONDS`.

use std::error::Error;
use std::time::{Duration, Instant};

use zenoh::bytes::ZBytes;
use zenoh::query::ConsolidationMode;
use zenoh::{Config, Wait};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn config(listen: &[&str], connect: &[&str]) -> Result<Config> {
    let mut c = Config::default();
    c.insert_json5("listen/endpoints", &format!("{listen:?}"))?;
    c.insert_json5("connect/endpoints", &format!("{connect:?}"))?;
    c.insert_json5("scouting/multicast/enabled", "false")?;
    c.insert_json5("transport/shared_memory/enabled", "false")?;
    Ok(c)
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[1..] {
        ["server", endpoint] => serve(endpoint),
        ["client", endpoint, bytes, seconds] => call(endpoint, bytes.parse()?, seconds.parse()?),
        _ => Err("query_pair server ENDPOINT | client ENDPOINT BYTES SECONDS".into()),
    }
}

fn serve(endpoint: &str) -> Result<()> {
    let session = zenoh::open(config(&[endpoint], &[])?).wait()?;
    let queryable = session.declare_queryable("pair").complete(true).callback(|query| {
        if let Some(payload) = query.payload() {
            let _ = query.reply("pair", payload.clone()).wait();
        }
    });
    let _queryable = queryable.wait()?;
    loop {
        std::thread::park();
    }
}

fn call(endpoint: &str, bytes: usize, seconds: f64) -> Result<()> {
    let session = zenoh::open(config(&[], &[endpoint])?).wait()?;
    let querier = session.declare_querier("pair").consolidation(ConsolidationMode::None).wait()?;
    while !querier.matching_status().wait()?.matching() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let payload: ZBytes = vec![7u8; bytes].into();
    for length in [0.2, seconds] {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < length {
            querier.get().payload(payload.clone()).wait()?.recv()?;
            calls += 1;
        }
        println!("{:.0} calls/s", f64::from(calls) / start.elapsed().as_secs_f64());
    }
    Ok(())
}
