//! The memory, threads, descriptors and numbers that a loop takes and leaves behind.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod loops;
mod number_reused;
mod scratch;
#[path = "../event_loop/support.rs"]
mod support;
mod threads;
mod timers;
mod waits;

use kit::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

author::one_by_one! {
    loops::a_loop_leaks_nothing,
    number_reused::a_reader_that_closes_its_own_descriptor_is_not_called_again,
    number_reused::a_closed_descriptor_s_number_is_forgotten_in_both_directions,
    scratch::every_read_after_the_first_has_the_same_buffer,
    threads::nothing_is_left_of_the_threads,
    timers::a_busy_loop_keeps_no_cancelled_timers,
    timers::a_busy_loop_keeps_nothing_of_timers_that_have_fired,
    waits::waits_one_after_another_leave_no_memory,
    waits::many_waits_at_a_time_are_begun_and_given_up_in_linear_time,
    waits::those_that_stay_are_woken_in_their_order,
    waits::a_wait_that_is_dropped_late_takes_no_other_one_with_it,
}
