//! A trial with tasks that communicate through pipes.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::rc::Rc;
use std::time::Duration;

use from_scratch::{block_on, readable, sleep, spawn, writable};
use scene::{Program, Random, Transcript, say, trial};

use crate::waiting::yield_now;
use crate::watch::{self, watched};

const TASKS: [&str; 4] = ["main", "task 1", "task 2", "task 3"];
const PIPES: usize = 3;

/// A task's action.
#[derive(Debug, Clone, Copy)]
enum Act {
    Yield,
    Nap,
    /// Writes a byte once there's room.
    Write(usize),
    /// Reads a byte once there is one.
    Read(usize),
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Yield => f.write_str("yields"),
            Act::Nap => f.write_str("naps"),
            Act::Write(pipe) => write!(f, "writes to pipe {pipe}"),
            Act::Read(pipe) => write!(f, "reads from pipe {pipe}"),
        }
    }
}

fn random_act(random: &mut Random) -> (usize, Act) {
    let pipe = random.below(PIPES);
    let act = match random.below(10) {
        0..2 => Act::Yield,
        2 => Act::Nap,
        3..6 => Act::Write(pipe),
        _ => Act::Read(pipe),
    };
    (random.below(TASKS.len()), act)
}

struct Pipe {
    reader: PipeReader,
    writer: PipeWriter,
}

trial!(
    pipes,
    60,
    "A task that waits for a descriptor goes on once the descriptor is ready and for no other reason."
);
fn pipes(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(12);
    let verbs = program.verbs((0..count).map(|_| random_act(&mut random)));
    let acts_of = |task: usize| -> VecDeque<Act> {
        verbs.iter().filter(|(of, _)| *of == task).map(|(_, act)| *act).collect()
    };
    for (task, name) in TASKS.iter().enumerate() {
        let acts: Vec<String> = acts_of(task).iter().map(Act::to_string).collect();
        if !acts.is_empty() {
            say!(t, "{name} {}", acts.join(", then "));
        }
    }
    watch::begin_with_threads();
    let mut pipes = Vec::new();
    for _ in 0..PIPES {
        let (reader, writer) = io::pipe()?;
        pipes.push(Pipe { reader, writer });
    }
    let pipes = Rc::new(pipes);
    let returned = block_on(watched(TASKS[0], async {
        let all: Vec<_> = (1..TASKS.len())
            .map(|task| spawn(watched(TASKS[task], carry_out(acts_of(task), Rc::clone(&pipes)))))
            .collect();
        let last = spawn(fill_up(Rc::clone(&pipes)));
        let mut returned = vec![carry_out(acts_of(0), Rc::clone(&pipes)).await];
        for task in all {
            returned
                .push(task.await.unwrap_or_else(|_| Err(io::Error::other("the task panicked"))));
        }
        let _ = last.await;
        returned
    }));
    for (name, returned) in TASKS.iter().zip(returned) {
        say!(t, "  {name} returns {returned:?}");
    }
    for complaint in watch::complaints() {
        say!(t, "  {complaint}");
    }
    Ok(())
}

/// Writes enough for all readers, so that every task can finish.
async fn fill_up(pipes: Rc<Vec<Pipe>>) {
    sleep(Duration::from_millis(2)).await;
    for pipe in &*pipes {
        let _ = (&pipe.writer).write_all(&[b'.'; 100]);
    }
}

async fn carry_out(acts: VecDeque<Act>, pipes: Rc<Vec<Pipe>>) -> io::Result<usize> {
    let mut done = 0;
    for act in acts {
        match act {
            Act::Yield => yield_now().await,
            Act::Nap => sleep(Duration::from_millis(1)).await,
            Act::Write(pipe) => {
                writable(&pipes[pipe].writer).await?;
                (&pipes[pipe].writer).write_all(b".")?;
            }
            Act::Read(pipe) => {
                // Another task may already have read the byte, in which case a read would block. So
                // this task checks first.
                readable(&pipes[pipe].reader).await?;
                while rustix::io::ioctl_fionread(&pipes[pipe].reader)? == 0 {
                    readable(&pipes[pipe].reader).await?;
                }
                (&pipes[pipe].reader).read_exact(&mut [0])?;
            }
        }
        done += 1;
    }
    Ok(done)
}
