//! The list of step 01's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers can differ in these points, so no trial reports them:
//! - the text of an error: the error only has to be a `CallError` with the kernel's errno and to
//!   name `read` or `write` if that call failed;
//! - how `set_nonblocking` sets the flag (`fcntl`, `FIONBIO`), and whether it sets a flag that's
//!   already set;
//! - whether `pipe_with_capacity` asks for a pipe's capacity before it sets it;
//! - where the limit of an impossible capacity is, between 1 GiB and 2 GiB;
//! - `parse`: some descriptions that the kernel doesn't write (`pipe:7`, `pipe:[+7]`, `tmp/a`),
//!   and a name without brackets (`anon_inode:inotify`), which can be the kind's name or `Other`;
//! - `read`: its result for an empty buffer on a descriptor that fails;
//! - `flush`: the bytes that it offers at once, and so how many of them a full pipe takes.

mod answer;
mod capacities;
mod descriptions;
mod flags;
mod outbox;
mod outbox_costs;
mod outbox_errors;
mod pattern;
mod pipes;
mod reading;
mod signals;
mod sizes;
mod system_calls;
mod writing;

use scene::trials;

/// Counts the memory of an outbox.
#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

trials! {
    pipes::new_pipes,
    capacities::pipes_of_every_capacity,
    capacities::no_capacity_goes_unasked,
    flags::flags_of_every_descriptor,
    flags::flags_that_cannot_change,
    descriptions::descriptions,
    reading::bytes_in_order,
    system_calls::every_error_of_read,
    system_calls::one_call_per_read,
    signals::read_after_many_signals,
    sizes::buffers_of_every_size,
    writing::as_much_as_fits,
    system_calls::every_error_of_write,
    system_calls::one_call_per_write,
    signals::write_after_many_signals,
    sizes::slices_of_every_size,
    outbox::outbox_in_turns,
    outbox_errors::outbox_after_errors,
    outbox_costs::cost_of_a_flush,
}
