//! Tools that scenes, trials and tests share, for example to stop a thread at a known point or to
//! observe a process.
//!
//! - [`Sleeper`]: a thread that goes to sleep in a system call, which a signal can interrupt;
//! - [`interruption`]: stops a thread in the middle of a system call, at a [`Gate`];
//! - [`Refusal`]: makes the kernel refuse a system call with an error of our choice;
//! - [`errno_name`]: the names of the kernel's error numbers;
//! - [`Observer`]: counts a thread's system calls and can refuse individual calls;
//! - [`see_calls`]: reports a process's own system calls, in words, as the process makes them;
//! - [`Transfers`]: counts the calls with which an observed thread moves bytes;
//! - [`Turns`]: threads that run in an order of our choice, one system call at a time;
//! - [`before_each_wait`]: stops code just before it waits;
//! - [`waits`]: describes the system call in which a thread waits;
//! - [`OneCpu`]: keeps threads on one CPU while they take turns;
//! - [`stay_apart`]: keeps threads on different CPUs, so that they can run simultaneously;
//! - [`without_free_descriptors`]: runs code while the process can't open another descriptor;
//! - [`Tracee`]: a child process that runs one instruction at a time;
//! - [`while_zero_is_free`], [`as_descriptor_zero`]: use descriptor 0 as an ordinary descriptor;
//! - [`cost`]: measures the calls, sleeps, CPU time and memory of a piece of code;
//! - [`flags`]: the flags of a descriptor;
//! - [`anybodys_waker`]: a waker that runs a function when it's cloned, woken or dropped;
//! - [`memory`]: an allocator that counts the memory that a piece of code allocates and keeps;
//! - [`destination`]: addresses to which a connection succeeds, is refused, or stays in progress;
//! - [`start_name_server`]: a name server that answers out of order and loses questions;
//! - [`start_afresh`]: gives a process a known state, whatever the process inherited;
//! - [`start_as_a_parent`]: prepares a process for starting other processes and waiting for them;
//! - [`loopback`]: both ends of a TCP connection in one process;
//! - [`epoll_list`]: the descriptors on an epoll object's interest list;
//! - [`objects`]: creates kernel objects that std has no functions for;
//! - [`proc`]: the state of a process or thread, from `/proc`;
//! - [`clients`]: clients for the echo servers of steps 02 to 07;
//! - [`example`]: runs a program in a step's `examples/`, for the step's tests;
//! - [`strace`]: lists the system calls that a scene makes;
//! - [`close_at_exec`]: closes a process's descriptors above 2 when it executes a program;
//! - [`limit_time`]: stops tests that hang.
//!
//! Step 01 and the notebook's pages link this crate, so it can't depend on any step: for example,
//! it can't use step 01's pipes.

mod anybodys_waker;
mod before_waits;
mod check;
pub mod clients;
mod close_at_exec;
pub mod cost;
mod descriptor_zero;
pub mod destination;
mod epoll_list;
mod errno_name;
mod example;
mod exhausted;
mod filter;
mod flags;
pub mod interruption;
mod known_state;
pub mod loopback;
pub mod memory;
mod name_server;
pub mod objects;
mod observer;
mod one_cpu;
pub mod proc;
mod refusal;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod seen_calls;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "seen_calls/elsewhere.rs"]
mod seen_calls;
mod single_step;
mod sleeper;
mod stops;
pub mod strace;
mod time_limit;
mod transfers;
mod turns;
pub mod waits;

pub use anybodys_waker::{WakerCall, anybodys_waker};
pub use before_waits::before_each_wait;
pub use close_at_exec::close_at_exec;
pub use descriptor_zero::{as_descriptor_zero, while_zero_is_free};
pub use epoll_list::{Entry as EpollEntry, add_to_epoll_list, epoll_list};
pub use errno_name::errno_name;
pub use example::{as_in_a_terminal, example, example_program};
pub use exhausted::without_free_descriptors;
pub use flags::flags;
pub use interruption::Gate;
pub use known_state::{is_ignored, start_afresh, start_as_a_parent};
pub use name_server::start_name_server;
pub use observer::Observer;
pub use one_cpu::{OneCpu, stay_apart};
pub use refusal::{EPERM, PLAIN_ERRORS, Refusal, errnos, lasting_errnos};
pub use seen_calls::{SeenCall, see_calls};
pub use single_step::{StoppedAt, Tracee};
pub use sleeper::{Sleeper, count_signals};
pub use time_limit::limit_time;
pub use transfers::Transfers;
pub use turns::{CallsInOrder, Ending, ThreadBody, Turns};
