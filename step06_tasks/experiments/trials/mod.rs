//! The list of step 06's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers can differ in these points, which no trial reports:
//! - the text of an `InvalidState`;
//! - the number that `run_ready` returns after a callback has cleared the queue, as long as it
//!   isn't 0, and whether a callback that's scheduled after that runs in the same round;
//! - everything that a callback's `run_ready` of its own queue does;
//! - whether an ended coroutine is dropped before its task is done or after, and how the task ends
//!   if the coroutine's destructor panics after a step;
//! - how often `cancel` counts for a task in a circle of tasks that await each other.

mod cancelling;
mod chains;
mod conversations;
mod finishing;
mod futures;
mod inside_a_poll;
mod joins;
mod ops;
mod polls;
mod rounds;
mod script;
mod steps;
mod wakes;

use scene::trials;

/// Counts what the layer allocates.
#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

trials! {
    conversations::conversations_in_any_order,
    wakes::wakes_from_anywhere,
    wakes::a_wake_is_taken_while_it_is_sent,
    polls::polls_in_any_order,
    polls::a_handle_is_polled_a_thousand_times,
    inside_a_poll::what_runs_inside_a_poll,
    inside_a_poll::a_clone_finishes_the_future,
    futures::a_future_is_finished_once,
    finishing::what_runs_inside_a_finish,
    rounds::every_round_is_counted,
    rounds::what_is_sent_waits,
    steps::steps_in_any_order,
    steps::destructors_use_the_queue,
    steps::what_a_task_leaves,
    steps::destructors_of_cancelled_tasks_use_the_queue,
    steps::what_a_cancelled_task_leaves,
    cancelling::cancelled_while_they_wait,
    cancelling::cancelled_in_any_order,
    chains::chains_of_tasks,
    chains::circles_of_tasks,
    joins::joins_of_any_tasks,
}
