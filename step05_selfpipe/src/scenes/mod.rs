//! The list of step 05's experiments, in the order in which `play` shows them.

pub(crate) mod allocations;
mod draining;
mod eventfd;
mod flag;
mod fork;
mod handlers;
mod held;
mod inbox;
mod ordering;
mod pair;
mod server;
pub(crate) mod signals;
mod waking;

use scene::scenes;

scenes! {
    flag::flag_alone_is_too_late,
    flag::epoll_pwait_closes_the_gap,
    pair::neither_end_blocks,
    waking::a_byte_wakes_the_loop,
    waking::wake_before_sleep,
    waking::full_pipe_still_wakes,
    draining::undrained_loop_spins,
    draining::many_wakes_one_return,
    eventfd::eventfd_or_socketpair,
    ordering::push_comes_before_wake,
    inbox::one_byte_for_a_thousand_values,
    inbox::send_after_close,
    inbox::take_empties_the_queue,
    ordering::send_during_drain,
    inbox::destructor_that_sends,
    inbox::no_value_lost_or_repeated,
    signals::signal_as_data,
    signals::signals_while_awake,
    signals::signal_in_the_loops_thread,
    signals::signal_survives_a_full_pipe,
    handlers::flag_comes_before_byte,
    handlers::errno_survives,
    handlers::handler_allocates_nothing,
    handlers::signal_inside_the_handler,
    handlers::drop_waits_for_the_handler,
    fork::after_fork,
    server::work_from_another_thread,
    server::graceful_shutdown_on_sigterm,
}
