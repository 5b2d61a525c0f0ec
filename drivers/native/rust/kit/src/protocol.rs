//! The messages, docs/worker-protocol.md, and the lines that carry them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::windows::Window;
use crate::workload::{null_is_empty, Workload};
use crate::Names;

pub const VERSION: i32 = 1;

/// The longest line, in bytes without the newline.
pub const MAX_LINE: usize = 8 << 20;

/// Request is a message of the interpreter.
#[derive(Deserialize, Debug)]
pub struct Request {
    #[serde(rename = "type")]
    pub kind: String,
    pub workload: Option<Workload>,
    #[serde(default, deserialize_with = "null_is_empty")]
    pub peers: BTreeMap<String, Names>,
    pub listen: Option<IpAddr>,
    /// Nanoseconds.
    #[serde(default)]
    pub clock_shift: i64,
    #[serde(default)]
    pub sent: i64,
    /// Seconds.
    #[serde(default)]
    pub drain: f64,
}

/// Answer is a message of the worker.
#[derive(Serialize, Debug)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Answer {
    Hello { protocol: i32, worker: String, pid: u32 },
    Ready { addresses: Names, effective: Names, clock_shift: i64 },
    Warm,
    Measuring,
    Result { result: Box<Measured> },
    Error { error: String },
}

/// Measured is what one role measured in the window. Times are in seconds but in
/// distributions, which count nanoseconds.
#[derive(Serialize, Default, Debug)]
pub struct Measured {
    pub elapsed: f64,
    pub sent: i64,
    pub received: i64,
    pub lost: i64,
    pub duplicated: i64,
    pub reordered: i64,
    pub late: i64,
    pub negative: i64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, i64>,
    pub offered: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Distribution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Distribution>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_lag: Option<Distribution>,
    pub cpu_user: f64,
    pub cpu_system: f64,
    pub peak_memory: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

/// Distribution is a set of times. All but the histogram is exact.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub struct Distribution {
    pub count: i64,
    pub sum: i64, // ns
    pub min: i64,
    pub max: i64,
    pub sum_squares: f64, // seconds squared
    pub histogram: String,
    pub over: i64,
}

/// parse reads a message of the interpreter. Fields that it doesn't know are ignored.
pub fn parse(line: &[u8]) -> Result<Request, String> {
    let refuse = |why: String| {
        let begin = String::from_utf8_lossy(&line[..line.len().min(100)]).escape_debug().to_string();
        Err(format!("not a message of the worker protocol: \"{begin}\": {why}"))
    };
    let m: Request = match serde_json::from_slice(line) {
        Ok(m) => m,
        Err(e) => return refuse(e.to_string()),
    };
    match m.kind.as_str() {
        "prepare" if m.workload.is_none() => refuse("a prepare message without \"workload\"".into()),
        "prepare" | "warm_up" | "measure" | "finish" | "stop" => Ok(m),
        other => refuse(format!("unknown type \"{}\"", other.chars().take(40).collect::<String>().escape_debug())),
    }
}

/// read returns the next message, and none when the input ends after a whole line.
pub fn read(input: &mut impl BufRead) -> Result<Option<Request>, String> {
    let mut line = Vec::new();
    let limit = MAX_LINE as u64 + 1;
    input.take(limit).read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => parse(&line).map(Some),
        Some(_) if line.len() as u64 + 1 == limit => Err(format!("a line longer than {MAX_LINE} bytes")),
        Some(_) => Err("the input ended in the middle of a line".into()),
    }
}

/// write sends one message.
pub fn write(output: &mut impl Write, m: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(m)?;
    if line.len() > MAX_LINE {
        return Err(io::Error::other(format!("a message of {} bytes: a line may have {MAX_LINE}", line.len())));
    }
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}
