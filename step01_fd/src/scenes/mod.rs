//! The experiments of step 01, in the order the chapter meets them.

mod children;
mod interrupt;
mod limits;
mod numbers;
mod readiness;
mod transfers;

use scene::scenes;

scenes! {
    numbers::lowest_free_descriptor,
    numbers::flags_set_at_creation,
    transfers::impossible_pipe_capacity,
    numbers::blocking_is_shared,
    numbers::what_descriptors_name,
    numbers::dup_shares_the_offset,
    transfers::end_or_would_block,
    interrupt::interrupted_read,
    children::inherited_by_a_child,
    transfers::full_pipe,
    transfers::broken_pipe,
    interrupt::interrupted_write,
    numbers::reused_descriptor,
    readiness::ready_or_not,
    transfers::slow_reader,
    readiness::files_are_always_ready,
    children::sigpipe,
    limits::reading_opens_no_descriptor,
    limits::out_of_descriptors,
}
