//! The exercises of step 06, in the order they are solved.

mod ending;
mod running;
mod waiting;

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    waiting::POLL,
    waiting::WAKE_BY_REF,
    waiting::POLL_RESULT,
    running::FINISH,
    running::RUN_READY,
    running::STEP,
    ending::QUEUE_MESSAGES,
    ending::CANCEL,
    ending::JOIN_ALL,
];
