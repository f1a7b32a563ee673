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
mod onlooker;
mod polls;
mod requests;
mod transfers;
mod turns;
mod waiters;
mod wakers;
mod waking;

use scene::scenes;

scenes! { onlooker::look_on =>
    dialogues::the_same_machine_twice,
    coroutines::a_greeting,
    wakers::polled_for_nothing,
    wakers::woken_after_its_end,
    wakers::hundred_wakes,
    waiters::messages_of_a_thread,
    wakers::woken_during_its_poll,
    polls::polled_twice,
    waiters::who_waits_for_a_future,
    coroutines::does_await_switch,
    futures::callbacks_of_a_future,
    waiters::four_ends_of_a_future,
    turns::two_await_one,
    futures::scheduled_in_a_round,
    coroutines::task_without_a_handle,
    turns::three_take_turns,
    turns::a_task_awaits_a_task,
    turns::a_task_awaits_itself,
    wakers::woken_from_a_thread_during_its_poll,
    waking::a_thousand_callbacks,
    transfers::cancelled_in_the_middle,
    cancelling::what_cancel_does,
    cancelling::cancelled_before_it_began,
    requests::cancelled_at_four_moments,
    requests::cancelled_twice,
    requests::cancels_itself,
    requests::a_timeout_takes_back_its_request,
    cancelling::cancelled_while_awaiting,
    chains::chain_of_tasks_is_cancelled,
    chains::a_chain_of_tasks,
    machines::dropped_in_the_middle,
    endings::error_is_never_retrieved,
    endings::awaiting_a_panic,
    coroutines::a_panic_in_one_task,
    endings::join_or_await_each,
    joining::cancelled_in_join_all,
    memory::waiting_in_a_thread_or_in_a_task,
    machines::what_a_coroutine_keeps,
}
