//! The list of step 06's experiments, in the order in which `play` shows them.

mod cancelling;
mod coroutines;
mod futures;
mod waking;

use scene::scenes;

scenes! {
    futures::a_round_is_counted,
    futures::set_result_runs_no_callback,
    coroutines::calling_runs_nothing,
    coroutines::does_await_switch,
    coroutines::task_without_a_handle,
    cancelling::cancel_is_an_error,
    cancelling::cancelled_before_it_began,
    cancelling::cancel_reaches_inward,
    coroutines::a_panic_ends_one_task,
    waking::thousand_calls_one_wake,
}
