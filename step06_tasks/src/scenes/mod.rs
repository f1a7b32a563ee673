//! The list of step 06's experiments, in the order in which `play` shows them.

mod cancelling;
mod chains;
mod coroutines;
mod dialogues;
mod endings;
mod futures;
mod machines;
mod memory;
mod polls;
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
    requests::a_timeout_takes_back_its_request,
    endings::nobody_retrieves,
    endings::a_panic_reaches_its_awaiter,
    endings::join_or_await_each,
    chains::chain_of_tasks_completes,
    chains::chain_of_tasks_is_cancelled,
    dialogues::the_same_machine_twice,
    polls::polled_twice,
}
