//! The book, the cockpit and the class in Chromium, as readers, students and teachers use
//! them.
//!
//! Two tests run at a time, each with a separate browser. Another program, `ready.rs`, measures the
//! time until a page is ready, with no test beside it.

mod accessible;
mod class;
mod class_forms;
mod class_person;
mod cockpit;
mod cockpit_loop;
mod cockpit_runs;
mod figures;
mod from_scratch;
mod on_the_web;
mod paths;
mod pictures;
mod predictions;
mod recordings;
mod scores;
