//! A worker over raw TCP, to test the kit with; the twin of testdata/echo.cpp: echo
//! for rpc, and for pubsub frames from a publisher to a subscriber that listens.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use versus::{Caller, Closing, Failure, Opened, Publisher, Ready, Role, Setup, Subscription};

fn text(e: impl ToString) -> String {
    e.to_string()
}

/// listen hands every connection to serve, in a thread of its own.
fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Opened<()> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(text)?;
    let address = listener.local_addr().map_err(text)?.to_string();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    let effective = [("transport".into(), "TCP".into())].into();
    Ok(((), Ready { addresses: [("address".into(), address)].into(), effective, remarks: None }, Box::new(|| {})))
}

fn connect(s: &Setup, role: &str) -> Result<TcpStream, String> {
    let address = s.peers.get(role).and_then(|a| a.get("address")).ok_or(format!("no address of the {role}"))?;
    let stream = TcpStream::connect(address).map_err(text)?;
    stream.set_nodelay(true).map_err(text)?;
    Ok(stream)
}

fn serve(_: &Setup) -> Opened<()> {
    listen(|mut stream| {
        let _ = stream.set_nodelay(true);
        let mut buffer = [0; 1 << 16];
        while let Ok(n @ 1..) = stream.read(&mut buffer) {
            if stream.write_all(&buffer[..n]).is_err() {
                return;
            }
        }
    })
}

struct Echo {
    stream: TcpStream,
    out: Vec<u8>,
    back: Vec<u8>,
}

impl Caller for Echo {
    fn call(&mut self) -> Result<(), Failure> {
        self.stream.write_all(&self.out).map_err(Failure::connection)?;
        self.stream.read_exact(&mut self.back).map_err(Failure::connection)?;
        (self.out == self.back).then_some(()).ok_or_else(|| Failure::answer("another answer"))
    }
}

fn call(s: &Setup, n: usize) -> Opened<Vec<Box<dyn Caller>>> {
    let out = s.workload.payload.content();
    let caller = |_| {
        let stream = connect(s, "server")?;
        Ok(Box::new(Echo { stream, out: out.clone(), back: out.clone() }) as Box<dyn Caller>)
    };
    let callers = (0..n).map(caller).collect::<Result<_, String>>()?;
    Ok((callers, Ready::default(), Box::new(|| {})))
}

fn subscribe(s: &Setup, subscription: Arc<Subscription>) -> Opened<()> {
    let size = s.workload.payload.content().len();
    listen(move |mut stream| {
        let mut message = vec![0; size];
        while stream.read_exact(&mut message).is_ok() {
            subscription.receive(usize::from(message[6]), &message);
        }
    })
}

/// Frames writes the messages of a topic to the one connection of all.
struct Frames(Arc<Mutex<TcpStream>>);

impl Publisher for Frames {
    fn publish(&mut self, message: &[u8]) -> Result<(), Failure> {
        self.0.lock().map_err(Failure::other)?.write_all(message).map_err(Failure::connection)
    }

    fn publish_loan(&mut self, size: usize, stamp: &dyn Fn(&mut [u8])) -> Result<(), Failure> {
        let mut chunk = vec![0; size];
        stamp(&mut chunk);
        self.publish(&chunk)
    }
}

fn publish(s: &Setup, n: usize) -> Opened<Vec<Box<dyn Publisher>>> {
    let stream = connect(s, "subscriber")?;
    let shut = stream.try_clone().map_err(text)?;
    let closing: Closing = Box::new(move || drop(shut.shutdown(Shutdown::Both)));
    let stream = Arc::new(Mutex::new(stream));
    let publishers = (0..n).map(|_| Box::new(Frames(stream.clone())) as Box<dyn Publisher>).collect();
    Ok((publishers, Ready::default(), closing))
}

fn main() {
    versus::run(
        "echo",
        vec![
            ("server", Role::Server(serve)),
            ("client", Role::Client(call)),
            ("subscriber", Role::Subscriber(subscribe)),
            ("publisher", Role::Publisher(publish)),
        ],
    )
}
