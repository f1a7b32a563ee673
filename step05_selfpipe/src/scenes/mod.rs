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
    waking::full_pipe_still_wakes,
    draining::undrained_loop_spins,
    draining::many_wakes_one_return,
    alarms::eventfd_or_socketpair,
    sending::push_comes_before_wake,
    sending::one_byte_for_a_thousand_values,
    sending::send_after_close,
    taking::take_empties_the_queue,
    taking::send_during_drain,
    taking::destructor_that_sends,
    taking::eight_hundred_thousand_values,
    signals::signal_as_data,
    signals::signals_while_awake,
    signals::signal_survives_a_full_pipe,
    handlers::flag_comes_before_byte,
    handlers::errno_survives,
    handlers::handler_allocates_nothing,
    handlers::signal_inside_the_handler,
    handlers::drop_waits_for_the_handler,
    forking::after_fork,
    serving::work_from_another_thread,
    serving::graceful_shutdown_on_sigterm,
}
