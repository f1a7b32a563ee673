//! The experiments of step 06, in the order the chapter meets them.

mod cancelling;
mod coroutines;
mod futures;
mod waking;

use scene::scenes;

scenes! {
    futures::a_round_is_counted,
    futures::finishing_runs_nobody,
    coroutines::calling_runs_nothing,
    coroutines::does_await_switch,
    coroutines::nobody_holds_the_task,
    cancelling::cancel_is_an_error,
    cancelling::cancelled_before_it_began,
    cancelling::cancel_reaches_inward,
    coroutines::a_panic_ends_one_task,
    waking::woken_from_a_thread,
}
