//! Judges many notebooks with this checkout's scenes, trials and snapshots.
//!
//! A notebook can be hostile, so only its sources are copied, each of its pages is built and run under
//! limits, and each page's judge is a process of its own. Whatever goes wrong is a line in the table.
//!
//! - `grading`, `table`: the notebooks in turn, and what's printed about them;
//! - `place`, `handed_in`: the directories for that, and copies of what was handed in;
//! - `page`: judges one page, in a process of its own;
//! - `confinement`: what a page's program and its compiler may do;
//! - `cgroup`, `users`: how the kernel makes it so, with what [`kit`] has for confinement;
//! - `limits`: which of that holds on this machine.

#![forbid(unsafe_code)]

mod cgroup;
mod confinement;
mod grading;
mod handed_in;
mod limits;
mod page;
mod place;
mod table;
mod users;

pub use grading::grade;
pub use page::{GRADE, grade_page};
