//! The exercises of step 07, in the order they are solved.

mod flow;
mod limits;
mod many;
mod network;
mod sharing;
mod stopping;
mod threads;
mod ticking;
mod waiting;

use scene::Exercise;

const LAST_STEP: Option<&str> = Some("The last step: nothing is built on it.");

pub(crate) const EXERCISES: &[Exercise] = &[
    ticking::SELECT_TIMEOUT,
    ticking::RUN_ONCE,
    ticking::RUN_UNTIL_DONE,
    waiting::SLEEP,
    waiting::WRITE_ALL,
    threads::COMPLETE,
    threads::RUN_IN_EXECUTOR,
    stopping::SERVE_UNTIL_STOPPED,
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
