//! The list of step 01's experiments, in the order in which `play` shows them.

mod descriptors;
mod eintr;
mod ends;
mod inheritance;
mod limits;
mod open_files;
mod outbox;
mod pipes;
mod readiness;
mod room;

use scene::scenes;

pub(crate) use pipes::page_size;

scenes! {
    descriptors::lowest_free_descriptor,
    open_files::flags_set_at_creation,
    pipes::impossible_pipe_capacity,
    open_files::blocking_is_shared,
    descriptors::what_descriptors_name,
    open_files::dup_shares_the_offset,
    pipes::end_or_would_block,
    eintr::interrupted_read,
    inheritance::inherited_by_a_child,
    ends::zero_is_not_always_the_end,
    ends::half_close,
    pipes::full_pipe,
    room::nearly_full_pipe,
    pipes::broken_pipe,
    eintr::interrupted_write,
    descriptors::reused_descriptor,
    readiness::readiness_changes,
    room::room_that_poll_does_not_report,
    outbox::slow_reader,
    readiness::files_are_always_ready,
    pipes::sigpipe,
    ends::reset,
    limits::reading_opens_no_descriptor,
    limits::out_of_descriptors,
}
