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
    descriptors::descriptors_of_a_second_pipe,
    open_files::flags_set_at_creation,
    pipes::impossible_pipe_capacity,
    open_files::blocking_of_a_duplicate,
    descriptors::what_descriptors_name,
    open_files::offset_of_a_duplicate,
    pipes::end_or_would_block,
    eintr::interrupted_read,
    inheritance::inherited_by_a_child,
    ends::another_read_after_zero,
    ends::half_close,
    pipes::full_pipe,
    room::nearly_full_pipe,
    pipes::broken_pipe,
    eintr::interrupted_write,
    descriptors::a_closed_descriptor,
    readiness::readiness_changes,
    room::a_full_pair,
    outbox::slow_reader,
    readiness::an_empty_file,
    pipes::sigpipe,
    ends::reset,
    limits::reading_at_the_limit,
    limits::out_of_descriptors,
}
