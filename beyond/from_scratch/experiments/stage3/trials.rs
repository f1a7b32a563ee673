//! A trial with sleeps, some of which are dropped early.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use from_scratch::{block_on, sleep, spawn};
use scene::{Program, Random, Transcript, say, trial};

use crate::waiting::{Gate, yield_now};
use crate::watch::{self, watched};

const TASKS: [&str; 4] = ["main", "task 1", "task 2", "task 3"];

/// A task's action.
#[derive(Debug, Clone, Copy)]
enum Act {
    Yield,
    Sleep(Duration),
    /// Waits at a gate that stays closed, but for no longer than this.
    WaitInVain(Duration),
    /// Waits at an open gate, with a sleep beside it.
    NoNeedToWait(Duration),
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Yield => f.write_str("yields"),
            Act::Sleep(length) => write!(f, "sleeps for {length:?}"),
            Act::WaitInVain(length) => write!(f, "waits with a timeout of {length:?}"),
            Act::NoNeedToWait(length) => write!(f, "drops a sleep of {length:?}"),
        }
    }
}

fn random_act(random: &mut Random) -> (usize, Act) {
    let length = Duration::from_micros(random.choose(&[0, 1, 400, 1000, 1500, 2999, 3000]));
    let act = match random.below(8) {
        0..2 => Act::Yield,
        2..5 => Act::Sleep(length),
        5..7 => Act::WaitInVain(length),
        _ => Act::NoNeedToWait(random.choose(&[length, Duration::from_hours(1)])),
    };
    (random.below(TASKS.len()), act)
}

trial!(naps, 40, "Each sleep ends, but never early. A sleep that's dropped wakes no task.");
fn naps(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(10);
    let verbs = program.verbs((0..count).map(|_| random_act(&mut random)));
    let acts_of = |task: usize| -> Vec<Act> {
        verbs.iter().filter(|(of, _)| *of == task).map(|(_, act)| *act).collect()
    };
    watch::begin_with_threads();
    let all = block_on(watched(TASKS[0], async {
        let all: Vec<_> = (1..TASKS.len())
            .map(|task| spawn(watched(TASKS[task], carry_out(acts_of(task)))))
            .collect();
        let mut said = vec![carry_out(acts_of(0)).await];
        for task in all {
            said.push(task.await.unwrap_or_default());
        }
        said
    }));
    for (name, said) in TASKS.iter().zip(all) {
        for line in said {
            say!(t, "{name} {line}");
        }
    }
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

async fn carry_out(acts: Vec<Act>) -> Vec<String> {
    let mut said = Vec::new();
    for act in acts {
        let began = Instant::now();
        let shortest = match act {
            Act::Yield => {
                yield_now().await;
                Duration::ZERO
            }
            Act::Sleep(length) => {
                sleep(length).await;
                length
            }
            Act::WaitInVain(length) => {
                let closed = Gate::default();
                either(closed.passed(), sleep(length)).await;
                length
            }
            Act::NoNeedToWait(length) => {
                let gate = Gate::default();
                gate.open();
                either(gate.passed(), sleep(length)).await;
                Duration::ZERO
            }
        };
        let early = if began.elapsed() < shortest { ", but the sleep ends early" } else { "" };
        said.push(format!("{act}{early}"));
    }
    said
}

/// Polls both futures and ends when either of them does.
async fn either(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| {
        let other = other.as_mut().poll(context);
        if one.as_mut().poll(context).is_ready() || other.is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}
