//! The list of step 06's experiments, in the order in which `play` shows them.

mod cancelling;
mod chains;
mod coroutines;
mod dialogues;
mod endings;
mod futures;
mod joining;
mod machines;
mod memory;
mod polls;
mod requests;
mod transfers;
mod turns;
mod waiters;
mod wakers;
mod waking;

use scene::scenes;

scenes! {
    dialogues::the_same_machine_twice,
    coroutines::calling_runs_nothing,
    wakers::polled_for_nothing,
    wakers::woken_after_its_end,
    wakers::hundred_wakes,
    waiters::a_thousand_wakes_one_message,
    wakers::woken_during_its_poll,
    polls::polled_twice,
    waiters::who_waits_for_a_future,
    coroutines::does_await_switch,
    futures::set_result_runs_no_callback,
    waiters::a_future_ends_once,
    turns::two_await_one,
    futures::a_round_is_counted,
    coroutines::task_without_a_handle,
    turns::three_take_turns,
    turns::a_task_awaits_a_task,
    turns::a_task_awaits_itself,
    wakers::woken_from_a_thread_during_its_poll,
    waking::thousand_calls_one_wake,
    transfers::cancelled_in_the_middle,
    cancelling::cancel_is_an_error,
    cancelling::cancelled_before_it_began,
    requests::cancelled_at_four_moments,
    requests::cancelled_twice,
    requests::cancels_itself,
    requests::a_timeout_takes_back_its_request,
    cancelling::cancel_reaches_inward,
    chains::chain_of_tasks_is_cancelled,
    chains::chain_of_tasks_completes,
    machines::dropped_in_the_middle,
    endings::error_is_never_retrieved,
    endings::a_panic_reaches_its_awaiter,
    coroutines::a_panic_ends_one_task,
    endings::join_or_await_each,
    joining::join_all_leaves_no_task_behind,
    memory::waiting_in_a_thread_or_in_a_task,
    machines::what_a_coroutine_keeps,
}
