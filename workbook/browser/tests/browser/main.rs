//! The book, the cockpit and the class in Chromium, as their readers, students and teachers use
//! them.
//!
//! Two tests run at a time, each in a browser of its own. How soon a page is ready is measured by a
//! program of its own, `ready.rs`, with nothing beside it.

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
