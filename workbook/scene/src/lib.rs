//! Scenes, trials and transcripts: how a step declares them, and how to run a scene or a trial.
//!
//! - [`Scene`], [`scene!`] and [`scenes!`]: a scene's declaration next to its function, and the
//!   list of all scenes;
//! - [`Transcript`] and [`say!`]: how a scene reports its observations, and the [`values`] in them
//!   that a reader can predict;
//! - [`Trial`], [`Program`]: one of an exercise's promises, and the small programs that check it;
//! - [`run_scene()`], [`run_trial()`]: run a scene or a trial in this process and send records to
//!   the runner;
//! - [`moments`]: the parts of a recording;
//! - [`Page`] and [`main()`]: a page of the notebook and its command line.
//!
//! A page of the notebook links this crate rather than the runner, so that the page compiles
//! quickly. This crate contains no part of an event loop and no `unsafe` code.

#![forbid(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!(
    "This workbook is about Linux (epoll, eventfd, /proc), so it builds only on Linux: use a Linux \
     machine, a virtual machine, WSL 2 on Windows, or a container. See book/src/machines.md."
);

mod calls;
mod channel;
pub mod descriptors;
pub mod moments;
mod page;
pub mod record;
pub mod root;
mod run_scene;
mod run_trial;
mod scene;
mod transcript;
mod trial;
pub mod values;

pub use channel::RECORDS_ON_STDIN;
pub use page::{Page, main, run_in_this_process, run_the_workbooks_own_program, serve_on};
pub use run_scene::run_scene;
pub use run_trial::{FAILED_PROGRAM, Selection, run_trial};
pub use scene::{Scene, list_scenes};
pub use transcript::Transcript;
pub use trial::{FIRST_PROGRAM, Program, Random, Trial};
