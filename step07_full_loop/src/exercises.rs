//! The exercises of step 07, in the order they are solved.

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
];
