//! Judges many notebooks with this checkout's scenes, trials and snapshots.
//!
//! A notebook can be hostile, so only its sources are copied, each of its pages is built and run in
//! a sandbox, and each page's judge is a process of its own. Whatever goes wrong is a line in the
//! table.
//!
//! - `grading`, `table`: the notebooks in turn, and what's printed about them;
//! - `directory`, `handed_in`: the directories for that and copies of what was handed in;
//! - `page`: judges one page, in a process of its own;
//! - `look`: what in a page is worth a look;
//! - `sandbox`: what a page's program and its compiler see, and `bwrap` the words for that;
//! - `toolchain`: what compiles them;
//! - `inside`, `outside`: both ends of a run in the sandbox;
//! - `cgroup`: limits that need the kernel's help, where it's to be had;
//! - `limits`: which of that holds on this machine.

#![forbid(unsafe_code)]

mod bwrap;
mod cgroup;
mod directory;
mod grading;
mod handed_in;
mod inside;
mod limits;
mod look;
mod outside;
mod page;
mod sandbox;
mod table;
mod toolchain;

pub use cgroup::{ENTER, enter_cgroup};
pub use grading::{grade, same_words};
pub use inside::{COMPILE, INSIDE, compile_inside, run_inside};
pub use page::{GRADE, grade_page};
