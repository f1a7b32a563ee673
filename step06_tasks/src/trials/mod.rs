//! The list of step 06's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers can differ in these points, which no trial reports: the text of an `InvalidState`;
//! the number that `run_ready` returns after a callback has cleared the queue, as long as it isn't 0,
//! and whether what's scheduled after that runs in the same round; all that a nested `run_ready` does;
//! whether an ended coroutine is dropped before or after its task is done, and what becomes of the
//! task if that panics; and how often `cancel` counts in a ring of tasks that await each other.

mod cancelling;
mod finishing;
mod futures;
mod ops;
mod rounds;
mod script;
mod steps;

use scene::trials;

trials! {
    rounds::every_round_is_counted,
    futures::a_future_is_finished_once,
    finishing::what_runs_inside_a_finish,
    steps::steps_in_any_order,
    steps::requests_that_a_step_delivers,
    steps::destructors_use_the_queue,
    cancelling::cancelled_in_any_order,
}
