//! The experiments of step 05, in the order the chapter meets them.

mod alarms;
mod allocations;
mod draining;
mod ends;
mod forking;
mod handlers;
mod sending;
mod serving;
mod signals;
mod taking;
mod waking;

use scene::scenes;

scenes! {
    ends::neither_end_blocks,
    waking::deaf_loop,
    waking::wake_before_sleep,
    waking::full_pipe_is_awake_enough,
    draining::undrained_loop_spins,
    draining::many_wakes_one_return,
    alarms::an_eventfd_beside_a_pair,
    sending::first_the_news_then_the_byte,
    sending::one_byte_for_many,
    sending::the_loop_is_gone,
    taking::all_that_has_come,
    taking::a_value_in_the_middle,
    taking::a_value_that_sends,
    taking::eight_hundred_thousand,
    signals::signal_as_data,
    signals::signals_while_awake,
    signals::not_lost_in_a_full_pipe,
    handlers::first_the_note_then_the_byte,
    handlers::errno_survives,
    handlers::the_handler_allocates_nothing,
    handlers::a_signal_in_the_handler,
    handlers::the_end_waits_for_the_handler,
    forking::after_fork,
    serving::work_from_another_thread,
    serving::stopped_by_a_signal,
}
