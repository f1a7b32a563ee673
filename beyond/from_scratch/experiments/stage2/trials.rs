//! A trial with tasks that are woken by threads and by each other.

use std::fmt;
use std::thread;

use from_scratch::{JoinHandle, block_on, spawn};
use scene::{Program, Random, Transcript, say, trial};

use crate::waiting::{Gate, yield_now};
use crate::watch::{self, watched};

const TASKS: [&str; 4] = ["main", "task 1", "task 2", "task 3"];
type Gates = [Gate; 4];

/// An action of a task or of a thread.
#[derive(Debug, Clone, Copy)]
enum Act {
    Yield,
    Open(usize),
    Pass(usize),
}

/// The task or thread that acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Task(usize),
    Thread(usize),
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Yield => f.write_str("yields"),
            Act::Open(gate) => write!(f, "opens gate {gate}"),
            Act::Pass(gate) => write!(f, "waits for gate {gate}"),
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Task(task) => f.write_str(TASKS[*task]),
            Who::Thread(thread) => write!(f, "thread {thread}"),
        }
    }
}

fn random_act(random: &mut Random) -> (Who, Act) {
    let gate = random.below(4);
    if random.once_in(3) {
        return (Who::Thread(random.below(2)), Act::Open(gate));
    }
    let act = match random.below(8) {
        0..2 => Act::Yield,
        2 => Act::Open(gate),
        _ => Act::Pass(gate),
    };
    (Who::Task(random.below(TASKS.len())), act)
}

trial!(
    threads_and_gates,
    80,
    "No wake from another thread is lost, and none causes more than one poll."
);
fn threads_and_gates(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(12);
    let verbs = program.verbs((0..count).map(|_| random_act(&mut random)));
    let acts_of = |who: Who| -> Vec<Act> {
        verbs.iter().filter(|(of, _)| *of == who).map(|(_, act)| *act).collect()
    };
    let tasks = (0..TASKS.len()).map(Who::Task);
    for who in tasks.chain([Who::Thread(0), Who::Thread(1)]) {
        let acts: Vec<String> = acts_of(who).iter().map(Act::to_string).collect();
        if !acts.is_empty() {
            say!(t, "{who} {}", acts.join(", then "));
        }
    }
    watch::begin_with_threads();
    let gates = Gates::default();
    // A task may wait for a gate that no act opens. So that this task can finish, too, a thread
    // opens all gates at the very end.
    let threads = [acts_of(Who::Thread(0)), acts_of(Who::Thread(1))].map(|acts| {
        let gates = gates.clone();
        thread::spawn(move || {
            for act in acts {
                if let Act::Open(gate) = act {
                    gates[gate].open();
                }
            }
            gates
        })
    });
    let last = thread::spawn(move || {
        for thread in threads {
            if let Ok(gates) = thread.join() {
                gates.iter().for_each(Gate::open);
            }
        }
    });
    let returned = block_on(watched(TASKS[0], async {
        let carried_out = |task: usize| carry_out(acts_of(Who::Task(task)), gates.clone());
        let all: Vec<JoinHandle<usize>> =
            (1..TASKS.len()).map(|task| spawn(watched(TASKS[task], carried_out(task)))).collect();
        let mut returned = vec![carried_out(0).await];
        for task in all {
            returned.push(task.await.unwrap_or(usize::MAX));
        }
        returned
    }));
    for (name, returned) in TASKS.iter().zip(returned) {
        say!(t, "  {name} returns {returned}");
    }
    anyhow::ensure!(last.join().is_ok(), "a thread of the trial panicked");
    for complaint in watch::complaints() {
        say!(t, "  {complaint}");
    }
    Ok(())
}

async fn carry_out(acts: Vec<Act>, gates: Gates) -> usize {
    let mut done = 0;
    for act in acts {
        match act {
            Act::Yield => yield_now().await,
            Act::Open(gate) => gates[gate].open(),
            Act::Pass(gate) => gates[gate].passed().await,
        }
        done += 1;
    }
    done
}
