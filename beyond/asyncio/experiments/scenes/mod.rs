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
#[path = "../../../../step07_full_loop/experiments/scenes/onlooker.rs"]
mod onlooker;
mod protocols;
mod readiness;
mod servers;
mod sharing;
mod slow_clients;
mod streams;
mod subprocesses;
mod workers;

use scene::scenes;

scenes! { onlooker::look_on =>
    many::one_of_three_fails,
    many::an_error_nobody_sees,
    many::the_first_of_many,
    many::results_as_they_come,
    groups::the_errors_of_a_group,
    groups::a_group_is_cancelled,
    groups::a_group_in_a_group,
    limits::a_block_that_swallows,
    limits::nested_timeouts,
    limits::a_late_block,
    limits::a_timeout_and_a_cancellation,
    many::what_a_shield_keeps_away,
    limits::two_seconds_for_three_calls,
    workers::a_semaphore_and_a_queue,
    workers::five_items_and_a_queue,
    fairness::one_permit_two_tasks,
    fairness::a_permit_for_a_cancelled_task,
    laws::littles_law,
    laws::a_limit_in_number,
    laws::amdahls_law,
    sharing::three_tasks_and_a_counter,
    sharing::who_gets_the_lock,
    sharing::who_releases_the_lock,
    deadlocks::two_locks_in_two_orders,
    deadlocks::a_threads_lock_in_a_coroutine,
    fairness::an_event_is_cleared_at_once,
    messages::three_lines_in_pieces,
    streams::readline_with_a_limit,
    readiness::two_bytes_at_a_time,
    streams::a_writer_that_never_drains,
    streams::what_write_and_drain_do,
    streams::read_exactly_with_an_early_end,
    servers::a_server_without_descriptors,
    closing::close_with_a_full_buffer,
    closing::closed_and_not_waited_for,
    servers::a_server_is_closed,
    slow_clients::a_byte_every_nine_seconds,
    connecting::a_client_and_no_accept,
    connecting::watching_a_connect,
    servers::a_name_with_two_addresses,
    protocols::the_order_of_a_protocols_calls,
    protocols::a_protocol_and_its_marks,
    protocols::a_protocol_that_fails,
    protocols::half_closed_connections,
    messages::four_datagrams,
    subprocesses::fed_before_it_is_read,
    subprocesses::a_subprocess_is_fed_and_read,
    subprocesses::a_wait_for_a_process_is_cancelled,
}
