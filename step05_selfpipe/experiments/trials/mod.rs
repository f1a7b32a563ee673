//! The list of step 05's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers differ in the kind of pair (sockets or a pipe) and so in how many bytes it has
//! room for, in the value of a byte, in the size of the buffer, in whether `send` wakes the loop
//! with the queue locked, in whether a second signal of the same kind writes another byte, and in
//! whether an error names its call, which std's errors don't. So no trial says how much a full pair
//! holds or counts the bytes of signals, and for an error, a trial prints the `errno`.
//!
//! Some trials need a process that traces its child (`ptrace(2)`) or filters its calls
//! (`seccomp(2)`), and a container may forbid both. Then these trials try nothing, on the page and
//! the reference alike, so they pass every page. We accept that, because the scenes still judge the
//! page.

mod draining;
mod dropped;
mod handler;
mod inbox;
mod instructions;
mod interleavings;
mod pair;
mod pipes;
mod points;
mod two_threads;
mod waking;

use scene::trials;

trials! {
    pair::a_pair_from_the_start,
    waking::each_wake_is_a_byte,
    waking::a_wake_needs_nothing,
    draining::nothing_is_left,
    draining::a_drain_is_cheap,
    draining::a_failing_read,
    draining::a_later_read_fails,
    inbox::values_in_the_queue,
    interleavings::senders_take_turns,
    inbox::values_taken,
    inbox::a_take_is_cheap,
    inbox::a_failing_drain,
    interleavings::senders_and_the_loop_take_turns,
    handler::signals_in_any_order,
    instructions::a_signal_at_each_instruction,
    dropped::a_drop_at_each_instruction,
    dropped::a_drop_with_two_handlers,
    two_threads::a_handler_in_another_thread,
}
