//! The exercises of the library, in the order they are solved.

mod flow;
mod limits;
mod many;
mod network;
mod sharing;

use scene::Exercise;

const LAST: Option<&str> = Some("The library: what's built on it are programs.");

pub(crate) const EXERCISES: &[Exercise] = &[
    many::CHILD_IS_DONE,
    many::EXIT,
    limits::END_BLOCK,
    sharing::PASS_ON,
    sharing::ACQUIRE,
    sharing::WAIT_UNTIL,
    network::ACCEPT,
    network::CONNECT_IN_TURN,
    network::RECEIVE,
    flow::DRAIN,
    flow::WRITE_READY,
];
