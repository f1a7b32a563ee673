//! The book, the cockpit and the class in Chromium, as readers, students and teachers use
//! them.
//!
//! Two tests run simultaneously, each with a separate browser. A separate test program, `ready.rs`,
//! measures the time until a page is ready, while no other test is running.

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
