//! Judges many notebooks with this checkout's scenes, trials and snapshots.
//!
//! A notebook can be hostile. So only its sources are copied, each of its pages is built and run in
//! a sandbox unless `--without-a-sandbox` is given, and each page has its own judge process. If a
//! notebook or a page can't be judged, the table says why, and grading continues.
//!
//! - `grading`, `table`: grade the notebooks and show the results;
//! - `directory`, `handed_in`: create the directories for grading and copy the handed-in pages;
//! - `page`: judges one page, in a separate process;
//! - `look`: the lines of a page that are worth a look;
//! - `sandbox`, `bwrap`: what a page's program and its compiler can see, and the command line for
//!   bwrap;
//! - `toolchain`: the compiler and its libraries;
//! - `inside`, `outside`: the two sides of a run in the sandbox;
//! - `cgroup`: limits for a whole run in a sandbox, if the machine allows us to create cgroups;
//! - `limits`: the limits that are enforced on this machine.

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
