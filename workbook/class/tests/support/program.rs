//! Serves a class: the program that the tests start.

mod server;

fn main() {
    server::serve();
}
