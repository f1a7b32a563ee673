//! The memory that waiting, connections and processes take and leave behind.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod connections;
mod subprocesses;
mod transports;
mod waiting;

use kit::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

author::one_by_one! {
    connections::an_idle_stream_takes_less_than_700_bytes,
    connections::an_idle_client_of_the_echo_server_takes_at_most_1000_bytes,
    connections::an_idle_reader_and_writer_take_less_than_1200_bytes,
    connections::an_idle_transport_takes_less_than_450_bytes,
    connections::a_load_that_is_over_leaves_only_tables,
    connections::a_transport_that_nothing_refers_to_any_more_leaves_no_memory,
    connections::drains_that_are_given_up_leave_nothing,
    subprocesses::nothing_is_left_of_a_process,
    transports::nothing_is_left_of_a_connection,
    waiting::waiting_for_many_leaks_nothing_and_allocates_little,
    waiting::waits_for_an_event_that_are_over_leave_nothing,
}
