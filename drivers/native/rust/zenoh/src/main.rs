//! The roles of the zenoh driver: publisher and subscriber, client and server (a
//! querier and a queryable), and the router between them.

mod mailbox;
mod memory;
mod publications;
mod pubsub;
mod rpc;
mod session;

use versus::Role;

fn main() {
    versus::run(
        "zenoh",
        vec![
            ("broker", Role::Server(session::route)),
            ("subscriber", Role::Subscriber(pubsub::subscribe)),
            ("publisher", Role::Publisher(pubsub::publish)),
            ("server", Role::Server(rpc::serve)),
            ("client", Role::Client(rpc::call)),
        ],
    )
}
