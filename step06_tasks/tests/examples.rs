//! The examples, each as the chapter shows it.

#[path = "examples/forgets.rs"]
mod forgets;
#[path = "examples/gives_up.rs"]
mod gives_up;
#[path = "examples/never_back.rs"]
mod never_back;
#[path = "examples/poll_everything.rs"]
mod poll_everything;
