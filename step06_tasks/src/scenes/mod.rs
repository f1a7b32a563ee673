//! The list of step 06's experiments, in the order in which `play` shows them.

mod cancelling;
mod conversation;
mod coroutines;
mod futures;
mod joining;
mod polling;
mod waking;

use scene::scenes;

scenes! {
    conversation::a_dialogue_written_twice,
    polling::a_thousand_wakes_one_message,
    polling::who_waits_for_a_future,
    polling::a_future_ends_once,
    futures::a_round_is_counted,
    futures::set_result_runs_no_callback,
    coroutines::calling_runs_nothing,
    coroutines::does_await_switch,
    coroutines::task_without_a_handle,
    cancelling::cancel_is_an_error,
    cancelling::cancelled_before_it_began,
    cancelling::cancel_reaches_inward,
    coroutines::a_panic_ends_one_task,
    joining::join_all_leaves_no_task_behind,
    waking::thousand_calls_one_wake,
}
