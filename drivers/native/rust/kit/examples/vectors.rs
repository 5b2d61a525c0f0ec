//! Answers questions about the parts of the kit, a line of JSON each, for the tests
//! that hold them against the Go kit; the twin of testdata/vectors.cpp.

use std::io::{self, BufRead};

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde_json::{json, Value};
use versus::parts::{add_windows, index, parse, slots_within, Pacer, Recorder, Sequences, Stamp, Windows};
use versus::Workload;

fn int(v: &Value) -> i64 {
    v.as_i64().or_else(|| v.as_f64().map(|f| f as i64)).unwrap_or_default()
}

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_default()
}

fn text(v: &Value) -> &str {
    v.as_str().unwrap_or_default()
}

fn distribution(times: &[Value]) -> Value {
    let mut parts = [Recorder::new(3), Recorder::new(3), Recorder::new(3)];
    for (i, t) in times.iter().enumerate() {
        parts[i % 3].record(int(t));
    }
    let mut all = Recorder::new(1);
    all.record(1);
    all.reset();
    parts.iter().for_each(|p| all.add(p));
    json!(all.distribution())
}

fn windows(q: &Value) -> Value {
    let mut both = [Windows::new(), Windows::new()];
    for w in &mut both {
        w.begin(int(&q["n"]) as usize, int(&q["start"]), number(&q["length"]));
    }
    for (i, t) in list(&q["times"]).iter().enumerate() {
        both[i % 2].record(int(&t[0]), int(&t[1]));
    }
    json!(add_windows(&both))
}

fn stamp(q: &Value) -> Value {
    let sequence = q["sequence"].as_u64().unwrap_or_default();
    let measured = q["measured"].as_bool().unwrap_or_default();
    let mut b = [0; Stamp::SIZE];
    Stamp { measured, topic: int(&q["topic"]) as u16, sequence, due: int(&q["due"]), sent: int(&q["sent"]) }.write(&mut b);
    json!(STANDARD.encode(b))
}

fn answer(q: &Value) -> Result<Value, String> {
    Ok(match text(&q["ask"]) {
        "index" => json!(index(int(&q["value"]))),
        "content" => {
            let w: Workload = serde_json::from_value(q["workload"].clone()).map_err(|e| e.to_string())?;
            w.check()?;
            json!(STANDARD.encode(w.payload.content()))
        }
        "base64" => json!(STANDARD.encode(text(&q["text"]))),
        "json" => serde_json::from_str(text(&q["text"])).map_err(|e| e.to_string())?,
        "parse" => json!(parse(text(&q["text"]).as_bytes())?.kind),
        "slots" => json!(slots_within(number(&q["periods"]), number(&q["phase"]))),
        "distribution" => distribution(list(&q["times"])),
        "windows" => windows(q),
        "pacer" => {
            let mut p = Pacer::new(int(&q["n"]) as usize, number(&q["rate"]));
            list(&q["times"]).iter().for_each(|t| p.adapt(int(t)));
            json!(p.margin())
        }
        "stamp" => stamp(q),
        "sequences" => {
            let mut s = Sequences::default();
            let numbers = list(&q["numbers"]).iter().map(|n| s.add(n.as_u64().unwrap_or_default()));
            json!(numbers.map(|s| [s.fresh, s.in_order, s.plausible]).collect::<Vec<_>>())
        }
        other => return Err(format!("unknown question {other}")),
    })
}

fn main() {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let a = serde_json::from_str(&line).map_err(|e| e.to_string()).and_then(|q| answer(&q));
        println!("{}", a.map_or_else(|e| json!({ "error": e }), |a| json!({ "answer": a })));
    }
}
