//! Other programs: started, fed, read and waited for by a task.
//!
//! The end of a process is an event like any other, since Linux can name a process by a descriptor
//! (step 01's [`pidfd_open`](step01_fd::pidfd_open)). So nothing here needs a signal handler or a
//! thread, and programs that others in this process have started are left alone. (asyncio:
//! `PidfdChildWatcher`, its default since 3.12)
//!
//! | file | what is in it |
//! | --- | --- |
//! | `create.rs` | starting a program |
//! | `process.rs` | a process, as a task uses it |
//! | `child.rs` | a process, as the loop watches it, and how it's fetched |
//! | `pipe_reader.rs`, `pipe_writer.rs` | its output and its input |
//! | `communicate.rs`, `together.rs` | all of its input and output at once |

mod child;
mod communicate;
mod create;
mod pipe_reader;
mod pipe_writer;
mod process;
mod together;

pub use create::create_subprocess;
pub use pipe_reader::PipeReader;
pub use pipe_writer::PipeWriter;
pub use process::Process;
