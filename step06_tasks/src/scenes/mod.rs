//! The list of step 06's experiments, in the order in which `play` shows them.

mod cancelling;
mod coroutines;
mod futures;
mod machines;
mod memory;
mod requests;
mod transfers;
mod turns;
mod wakers;
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
    machines::what_a_coroutine_keeps,
    machines::dropped_in_the_middle,
    wakers::polled_for_nothing,
    wakers::hundred_wakes,
    wakers::woken_during_its_poll,
    wakers::woken_after_its_end,
    wakers::woken_from_a_thread_during_its_poll,
    turns::three_take_turns,
    turns::a_task_awaits_a_task,
    turns::a_task_awaits_itself,
    turns::two_await_one,
    memory::waiting_in_a_thread_or_in_a_task,
    transfers::cancelled_in_the_middle,
    requests::cancelled_at_four_moments,
    requests::cancelled_twice,
    requests::cancels_itself,
}
