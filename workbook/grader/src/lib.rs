//! Judges many notebooks with this checkout's scenes, trials and snapshots.
//!
//! A notebook can be hostile, so only its sources are copied, each of its pages is built and run under
//! limits, and each page's judge is a process of its own. Whatever goes wrong is a line in the table.
//!
//! - `grading`, `table`: the notebooks in turn, and what's printed about them;
//! - `place`, `handed_in`: the directories for that, and copies of what was handed in;
//! - `page`: judges one page, in a process of its own;
//! - `confinement`: what a page's program and its compiler may do;
//! - `confined`, `landlock`, `cgroup`, `users`: how the kernel makes it so;
//! - `limits`: which of that holds on this machine.

// Two files talk to the kernel.
#![deny(unsafe_code)]

mod cgroup;
#[expect(unsafe_code, reason = "what's done between fork and exec, and Landlock's system call")]
mod confined;
mod confinement;
mod grading;
mod handed_in;
#[expect(unsafe_code, reason = "Landlock's system calls")]
mod landlock;
mod limits;
mod page;
mod place;
mod table;
mod users;

pub use confined::can_change_user;
pub use grading::grade;
pub use landlock::landlock_version;
pub use page::{GRADE, grade_page};
