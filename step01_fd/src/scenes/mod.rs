//! The experiments of step 01, in the order the chapter meets them.

mod children;
mod interrupt;
mod limits;
mod numbers;
mod readiness;
mod transfers;

use scene::scenes;

scenes! {
    numbers::lowest_free_number,
    numbers::flags_from_birth,
    transfers::no_such_pipe,
    numbers::blocking_is_shared,
    numbers::more_than_files,
    numbers::dup_shares_the_offset,
    transfers::end_or_would_block,
    interrupt::interrupted_read,
    children::inherited,
    transfers::full_pipe,
    transfers::broken_pipe,
    interrupt::interrupted_write,
    numbers::reused_number,
    readiness::ready_or_not,
    transfers::slow_reader,
    readiness::always_ready,
    children::sigpipe,
    limits::reading_takes_no_number,
    limits::out_of_numbers,
}
