//! What the authors of the workbook run: checks that it holds together.

mod conversation;
mod reuse;
mod switched;

pub use reuse::check_reuse;
