//! The list of step 07's experiments, in the order in which `play` shows them.

mod closing;
mod computing;
mod connecting;
mod deadlocks;
mod debug;
mod descriptors;
mod errors;
mod executor;
mod fairness;
mod groups;
mod laws;
mod life;
mod limits;
mod many;
mod messages;
mod network;
mod outside;
mod protocols;
mod readiness;
mod runners;
mod servers;
mod sharing;
mod shutdown;
mod slow_clients;
mod streams;
mod subprocesses;
mod threads;
mod time;
mod tracing;
mod turns;
mod ways;
mod workers;

use std::num::NonZero;

use scene::scenes;

scenes! {
    time::select_timeout_cases,
    turns::order_in_a_tick,
    turns::self_scheduling_callback,
    turns::a_tick_waits_first,
    ways::from_descriptor_to_coroutine,
    ways::time_inside_a_callback,
    descriptors::add_reader_twice,
    descriptors::a_reader_removed_while_it_is_ready,
    descriptors::an_event_in_a_stopped_run,
    life::stop_finishes_the_tick,
    life::stopped_in_the_middle,
    life::one_loop_at_a_time,
    life::run_until_complete_wraps_only_coroutines,
    errors::what_an_exception_handler_is_told,
    errors::a_broken_exception_handler,
    time::timers_in_a_tick,
    time::sleepers_wake_in_order,
    time::a_cancelled_sleep_leaves_no_timer,
    ways::a_callback_blocks,
    outside::call_soon_threadsafe_from_a_thread,
    outside::call_soon_threadsafe_keeps_its_place,
    outside::a_wake_that_nothing_reads,
    threads::a_thread_finishes_a_future,
    outside::a_signal_while_the_loop_sleeps,
    outside::signals_come_a_tick_later,
    outside::run_and_ctrl_c,
    runners::a_runner_and_ctrl_c,
    runners::run_drops_tasks_of_the_cleanup,
    threads::a_blocking_call,
    computing::a_function_that_computes,
    threads::a_threads_result_keeps_its_place,
    threads::a_panic_in_a_thread,
    threads::run_waits_for_its_threads,
    executor::a_pool_is_bounded,
    executor::work_is_cancelled,
    executor::a_task_that_waits_for_a_thread_is_cancelled,
    debug::debug_mode_names_what_is_slow,
    tracing::a_trace_of_every_tick,
    many::a_sibling_runs_on,
    many::an_error_nobody_sees,
    many::the_first_of_many,
    many::results_as_they_come,
    groups::the_errors_of_a_group,
    groups::a_group_is_cancelled,
    groups::a_group_in_a_group,
    limits::a_request_is_not_taken_back,
    limits::nested_timeouts,
    limits::a_late_block,
    limits::a_timeout_and_a_cancellation,
    many::what_a_shield_keeps_away,
    limits::a_duration_starts_over,
    workers::a_semaphore_and_a_queue,
    workers::a_full_queue_holds_its_producer,
    fairness::a_permit_goes_to_the_first_in_line,
    fairness::a_cancelled_waiter_passes_its_permit_on,
    laws::littles_law,
    laws::so_many_at_a_time,
    laws::amdahls_law,
    sharing::a_lost_update,
    sharing::who_gets_the_lock,
    sharing::who_releases_the_lock,
    deadlocks::two_locks_in_two_orders,
    deadlocks::a_threads_lock_in_a_coroutine,
    fairness::an_event_is_cleared_at_once,
    network::slow_reader_holds_the_writer,
    network::echo_conversation,
    shutdown::stop_finish_and_leave,
    shutdown::an_echo_server_is_stopped,
    messages::a_stream_has_no_messages,
    streams::readline_with_a_limit,
    readiness::readable_is_a_hint,
    streams::a_writer_that_never_drains,
    streams::drain_holds_a_writer,
    streams::read_exactly_with_an_early_end,
    servers::a_server_without_descriptors,
    closing::what_a_close_throws_away,
    closing::closed_and_not_waited_for,
    servers::a_server_is_closed,
    slow_clients::a_byte_every_nine_seconds,
    connecting::connected_before_it_is_accepted,
    connecting::writable_is_not_connected,
    servers::connect_takes_the_next_address,
    protocols::the_order_of_a_protocols_calls,
    protocols::pause_and_resume_at_the_water_marks,
    protocols::a_protocol_that_fails,
    protocols::half_closed_connections,
    messages::a_datagram_is_a_message,
    subprocesses::fed_before_it_is_read,
    subprocesses::a_subprocess_is_fed_and_read,
    subprocesses::a_wait_for_a_process_is_cancelled,
}

/// Returns the size of a pool. (A zero would be refused.)
fn pool_of(threads: usize) -> NonZero<usize> {
    NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN)
}
