//! The list of step 07's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers can differ in these points, which no trial reports: how often the loop reads its
//! clock, or asks it about a sleep of zero; whether a tick reuses its list of events and moves the
//! timers that are due into the queue if an event fails; when a task whose run was
//! stopped early loses its last handle.

mod caught;
mod ends;
mod leftovers;
mod lone_sleeps;
mod readiness;
mod runs;
mod shutdowns;
mod sleeps;
mod state;
mod ticks;
mod timeouts;
mod turns;
mod waits;
mod work;

use scene::trials;

trials! {
    timeouts::how_long_it_can_sleep,
    ticks::one_tick_after_another,
    waits::how_a_tick_waits,
    runs::runs_until_done,
    sleeps::sleeps_of_many_tasks,
    lone_sleeps::sleeps_by_themselves,
    readiness::calls_of_a_socket,
    turns::turns_of_a_socket,
    work::work_on_a_thread,
    leftovers::what_is_left_of_work,
    ends::tasks_that_are_left,
    shutdowns::servers_that_stop,
}
