//! The conversation of a worker with the interpreter, docs/worker-protocol.md.

use std::fs::File;
use std::io::{self, BufReader};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::FromRawFd;
use std::process;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::clock;
use crate::closed::ClosedLoop;
use crate::load::{guard, Halt, Load};
use crate::open::OpenLoop;
use crate::protocol::{read, write, Answer, Measured, Request, VERSION};
use crate::publish::PublishLoop;
use crate::usage::{affinity, Meter};
use crate::workload::Extent;
use crate::{Closing, Ready, Role, Setup, Subscription};

/// How long a role may take to end when it is told to.
const GRACE: Duration = Duration::from_secs(3);

/// run has the conversation of one worker that plays the role named by the first
/// argument of the program, and ends the process: with status 0 when it was told to
/// stop, else 1. Whatever else the process prints goes to standard error.
pub fn run(driver: &str, roles: Vec<(&str, Role)>) -> ! {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut output = take_stdout().unwrap_or_else(|e| {
        eprintln!("standard output: {e}");
        process::exit(1)
    });
    let Some((_, role)) = roles.into_iter().find(|(n, _)| *n == name) else {
        let error = format!("driver \"{driver}\" has no role \"{name}\"");
        let _ = write(&mut output, &Answer::Error { error });
        process::exit(1)
    };
    let hello = Answer::Hello { protocol: VERSION, worker: format!("{driver} {name}"), pid: process::id() };
    let result = write(&mut output, &hello).map_err(|e| e.to_string()).and_then(|()| converse(role, output));
    if let Err(e) = &result {
        eprintln!("worker {driver} {name}: {e}");
    }
    // SAFETY: ends the process without its exit handlers: threads of the middleware may
    // still use what those free, and one that is stuck would be waited for.
    unsafe { libc::_exit(result.is_err().into()) }
}

/// take_stdout returns the present standard output and lets descriptor 1 be
/// standard error.
fn take_stdout() -> io::Result<File> {
    // SAFETY: plain system calls; the new descriptor belongs to the returned file alone.
    unsafe {
        let own = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3);
        if own < 0 || libc::dup2(2, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(own))
    }
}

#[allow(clippy::large_enum_variant)] // a handful in a run
enum Event {
    Input(Result<Option<Request>, String>),
    Answer(Answer),
    Closed,
}

/// converse reads messages and has a thread of its own handle them one at a time,
/// while it keeps listening: stop and the end of the input count at any moment.
fn converse(role: Role, mut output: File) -> Result<(), String> {
    let halt = Arc::new(Halt::default());
    let (events, inbox) = channel();
    let (work, requests) = channel();
    let session = Session::new(role, halt.clone());
    let (heard, done) = (events.clone(), events);
    thread::spawn(move || listen(&heard));
    thread::spawn(move || session.work(&requests, &done));
    let result = exchange(&inbox, &work, &mut output);
    if let Err(error) = &result {
        let _ = write(&mut output, &Answer::Error { error: error.clone() });
    }
    halt.halt();
    drop(work); // the session closes when it has done what it is at
    let end = Instant::now() + GRACE;
    loop {
        match inbox.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Event::Closed) => return result,
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return result,
            Ok(_) => {}
        }
    }
    eprintln!("the role doesn't end");
    result
}

/// listen reads messages until the first error.
fn listen(events: &Sender<Event>) {
    let mut input = BufReader::with_capacity(64 << 10, io::stdin());
    loop {
        let m = read(&mut input);
        let last = !matches!(m, Ok(Some(_)));
        if events.send(Event::Input(m)).is_err() || last {
            return;
        }
    }
}

/// exchange passes messages on until it is told to stop. It returns why it ended otherwise.
fn exchange(inbox: &Receiver<Event>, work: &Sender<Request>, output: &mut File) -> Result<(), String> {
    let mut asked = String::new(); // type of the message that is being handled
    loop {
        match inbox.recv().map_err(|e| e.to_string())? {
            Event::Input(Err(e)) => return Err(e),
            Event::Input(Ok(None)) => return Err("the input ended before a stop message".into()),
            Event::Input(Ok(Some(m))) if m.kind == "stop" => return Ok(()),
            Event::Input(Ok(Some(m))) if asked.is_empty() => {
                asked.clone_from(&m.kind);
                work.send(m).map_err(|e| e.to_string())?;
            }
            Event::Input(Ok(Some(m))) => return Err(format!("message \"{}\" while \"{asked}\" is still being done", m.kind)),
            Event::Answer(m) => {
                asked.clear();
                write(output, &m).map_err(|e| e.to_string())?;
            }
            Event::Closed => return Err("the worker's thread has ended".into()),
        }
    }
}

/// Session is the part of one role in one run: what each message makes it do.
struct Session {
    role: Role,
    halt: Arc<Halt>,
    setup: Option<Setup>,
    load: Option<Box<dyn Load>>,             // of an active role
    subscription: Option<Arc<Subscription>>, // of a subscriber
    ready: Ready,
    closing: Option<Closing>,
    meter: Meter,
    last: String, // type of the last message handled, or "error"
}

impl Session {
    fn new(role: Role, halt: Arc<Halt>) -> Session {
        let (ready, meter, last) = (Ready::default(), Meter::default(), String::new());
        Session { role, halt, setup: None, load: None, subscription: None, ready, closing: None, meter, last }
    }

    /// work handles messages until there are no more, and then closes the role.
    fn work(mut self, requests: &Receiver<Request>, events: &Sender<Event>) {
        for m in requests {
            let answer = self.handle(m).unwrap_or_else(|e| {
                let error = if e.is_empty() { "unknown error".into() } else { e.chars().take(4000).collect() };
                Answer::Error { error }
            });
            let _ = events.send(Event::Answer(answer));
        }
        self.load = None; // with the callers or publishers
        self.ready.remarks = None;
        if let Some(closing) = self.closing.take() {
            let _ = guard(|| {
                closing();
                Ok(())
            });
        }
        let _ = events.send(Event::Closed);
    }

    /// handle does what a message asks and returns the answer. A message out of order
    /// is an error, and so is every message after an error.
    fn handle(&mut self, m: Request) -> Result<Answer, String> {
        let after = std::mem::replace(&mut self.last, "error".into());
        let kind = m.kind.clone();
        let answer = guard(|| self.step(m, &after))?;
        self.last = kind;
        Ok(answer)
    }

    fn step(&mut self, m: Request, after: &str) -> Result<Answer, String> {
        match (m.kind.as_str(), after) {
            ("prepare", "") => self.prepare(m),
            ("warm_up", "prepare") if self.load.is_some() => self.warm_up(),
            ("measure", "prepare" | "warm_up") => self.measure(),
            ("finish", "measure") if self.load.is_none() => Ok(self.finish(&m)),
            (kind, after) => {
                let after = if after.is_empty() { "hello" } else { after };
                Err(format!("message \"{kind}\" is out of order here, after \"{after}\""))
            }
        }
    }

    fn prepare(&mut self, m: Request) -> Result<Answer, String> {
        let workload = m.workload.ok_or("a prepare message without a workload")?;
        workload.check()?;
        clock::set_shift(m.clock_shift);
        let listen = m.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let setup = Setup { workload, peers: m.peers, listen, halt: self.halt.clone() };
        self.open(&setup)?;
        let w = &setup.workload;
        let mut effective = self.ready.effective.clone();
        let mut set = |name: &str, value: String| {
            effective.entry(name.into()).or_insert(value);
        };
        set("cpus", affinity());
        set("rustc", env!("KIT_RUSTC").into());
        if w.rate > 0.0 && w.pattern == "rpc" && self.load.is_some() {
            set("in_flight", w.in_flight().to_string());
        }
        if w.pattern == "pubsub" {
            set(
                "clock",
                match m.clock_shift {
                    0 => "CLOCK_MONOTONIC".into(),
                    ns => format!("CLOCK_MONOTONIC, shifted by {ns} ns"),
                },
            );
        }
        self.setup = Some(setup);
        Ok(Answer::Ready { addresses: self.ready.addresses.clone(), effective, clock_shift: m.clock_shift })
    }

    /// open starts the driver's role, and what the kit runs on top of it.
    fn open(&mut self, setup: &Setup) -> Result<(), String> {
        let (w, halt) = (&setup.workload, self.halt.clone());
        let closing;
        match self.role {
            Role::Server(open) => ((), self.ready, closing) = open(setup)?,
            Role::Client(open) => {
                let n = w.concurrency() * w.in_flight();
                let callers;
                (callers, self.ready, closing) = open(setup, n)?;
                if callers.len() != n {
                    return Err(format!("the driver opened {} callers instead of {n}", callers.len()));
                }
                self.load = Some(if w.rate == 0.0 {
                    Box::new(ClosedLoop::new(callers, halt))
                } else {
                    Box::new(OpenLoop::new(callers, w.concurrency(), w.rate, halt))
                });
            }
            Role::Publisher(open) => {
                let publishers;
                (publishers, self.ready, closing) = open(setup, w.topics())?;
                if publishers.len() != w.topics() {
                    return Err(format!("the driver opened {} publishers instead of {}", publishers.len(), w.topics()));
                }
                self.load = Some(Box::new(PublishLoop::new(publishers, w, halt)?));
            }
            Role::Subscriber(open) => {
                let subscription = Arc::new(Subscription::new(w));
                ((), self.ready, closing) = open(setup, subscription.clone())?;
                self.subscription = Some(subscription);
            }
        }
        self.closing = Some(closing);
        Ok(())
    }

    fn warm_up(&mut self) -> Result<Answer, String> {
        let x = self.setup.as_ref().map(|s| s.workload.warmup).unwrap_or_default();
        if let Some(load) = self.load.as_mut().filter(|_| x != Extent::default()) {
            load.run(x, false)?;
        }
        Ok(Answer::Warm)
    }

    /// measure opens the window. An active role also runs until it is over.
    fn measure(&mut self) -> Result<Answer, String> {
        self.meter.open();
        let Some(load) = &mut self.load else { return Ok(Answer::Measuring) };
        load.run(self.setup.as_ref().map(|s| s.workload.measure).unwrap_or_default(), true)?;
        // The CPU first: the histograms of the report must not count.
        let mut r = Measured::default();
        self.meter.close(&mut r);
        load.report(&mut r);
        Ok(self.answer(r))
    }

    /// finish closes the window of a passive role. A subscriber first waits for what
    /// is still on its way.
    fn finish(&mut self, m: &Request) -> Answer {
        if let Some(s) = &self.subscription {
            s.wait(m.sent, Duration::from_secs_f64(m.drain.clamp(0.0, 3600.0)), &self.halt);
        }
        let mut r = Measured::default();
        self.meter.close(&mut r);
        if let Some(s) = &self.subscription {
            s.report(&mut r, m.sent);
        }
        self.answer(r)
    }

    fn answer(&mut self, mut r: Measured) -> Answer {
        if let Some(remarks) = &mut self.ready.remarks {
            r.flags.append(&mut remarks());
        }
        Answer::Result { result: Box::new(r) }
    }
}
