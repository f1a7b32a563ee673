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
    flag::a_flag_alone,
    flag::the_gap_and_epoll_pwait,
    pair::both_ends_of_a_pair,
    waking::a_flag_or_a_byte,
    waking::wake_before_sleep,
    waking::a_hundred_thousand_wakes,
    draining::a_byte_left_unread,
    draining::ten_threads_wake,
    eventfd::eventfd_or_socketpair,
    ordering::the_value_and_the_byte,
    inbox::a_thousand_values,
    inbox::send_after_close,
    inbox::three_takes,
    ordering::send_during_drain,
    inbox::destructor_that_sends,
    inbox::eight_senders,
    signals::signal_as_data,
    signals::signals_while_awake,
    signals::signal_in_the_loops_thread,
    signals::a_signal_and_a_full_pipe,
    handlers::the_flag_and_the_byte,
    handlers::errno_after_a_handler,
    handlers::allocations_of_a_handler,
    handlers::signal_inside_the_handler,
    handlers::dropped_during_the_handler,
    fork::after_fork,
    server::work_from_another_thread,
    server::graceful_shutdown_on_sigterm,
}
