//! The list of the library's experiments, in the order in which `play` shows them.

mod closing;
mod connecting;
mod deadlocks;
mod fairness;
mod groups;
mod laws;
mod limits;
mod many;
mod messages;
mod protocols;
mod readiness;
mod servers;
mod sharing;
mod slow_clients;
mod streams;
mod subprocesses;
mod workers;

use scene::scenes;

scenes! {
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
