//! A trial with tasks that wait for each other.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use from_scratch::{JoinHandle, block_on, spawn};
use scene::{Program, Random, Transcript, say, trial};

use crate::waiting::{Gate, times, yield_woken};
use crate::watch::{self, watched};

const TASKS: [&str; 4] = ["main", "task 1", "task 2", "task 3"];
const CHILDREN: [[&str; 3]; 4] = [
    ["main's first child", "main's second child", "main's third child"],
    ["task 1's first child", "task 1's second child", "task 1's third child"],
    ["task 2's first child", "task 2's second child", "task 2's third child"],
    ["task 3's first child", "task 3's second child", "task 3's third child"],
];
type Gates = [Gate; 3];

/// A task's action.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// Wakes itself this many times and yields.
    Yield(usize),
    Open(usize),
    Pass(usize),
    SpawnChild,
    AwaitChild,
    DropHandle,
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Yield(1) => f.write_str("yields"),
            Act::Yield(count) => write!(f, "yields, woken {}", times(*count)),
            Act::Open(gate) => write!(f, "opens gate {gate}"),
            Act::Pass(gate) => write!(f, "waits for gate {gate}"),
            Act::SpawnChild => f.write_str("spawns a child"),
            Act::AwaitChild => f.write_str("awaits its last child"),
            Act::DropHandle => f.write_str("drops its last child's handle"),
        }
    }
}

fn random_act(random: &mut Random) -> (usize, Act) {
    let act = match random.below(12) {
        0..4 => Act::Yield(1 + random.below(3)),
        4 => Act::Open(random.below(3)),
        5..8 => Act::Pass(random.below(3)),
        8..10 => Act::SpawnChild,
        10 => Act::AwaitChild,
        _ => Act::DropHandle,
    };
    (random.below(TASKS.len()), act)
}

trial!(
    tasks_and_gates,
    150,
    "A task is polled once at first and later only after a wake, but never twice while another woken task waits for its turn."
);
fn tasks_and_gates(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(14);
    let verbs = program.verbs((0..count).map(|_| random_act(&mut random)));
    let acts_of = |task: usize| -> Vec<Act> {
        verbs.iter().filter(|(of, _)| *of == task).map(|(_, act)| *act).collect()
    };
    for (task, name) in TASKS.iter().enumerate() {
        let acts: Vec<String> = acts_of(task).iter().map(Act::to_string).collect();
        if !acts.is_empty() {
            say!(t, "{name} {}", acts.join(", then "));
        }
    }
    watch::begin();
    let gates = Gates::default();
    let children = Rc::new(Cell::new(0));
    let results = block_on(watched(TASKS[0], async {
        let carried_out =
            |task: usize| carry_out(task, acts_of(task), gates.clone(), Rc::clone(&children));
        let all: Vec<JoinHandle<usize>> =
            (1..TASKS.len()).map(|task| spawn(watched(TASKS[task], carried_out(task)))).collect();
        let opener = spawn(watched("the task that finally opens all gates", open(gates.clone())));
        let mut results = vec![carried_out(0).await];
        for task in all {
            results.push(task.await.unwrap_or(usize::MAX));
        }
        let _ = opener.await;
        // Leave no task behind, so that the next program begins with an empty loop.
        while children.get() > 0 {
            yield_woken(1).await;
        }
        results
    }));
    for (name, result) in TASKS.iter().zip(results) {
        say!(t, "  {name} returns {result}");
    }
    for complaint in watch::complaints() {
        say!(t, "  {complaint}");
    }
    Ok(())
}

/// Opens all gates, but only after the other tasks have done what they can.
async fn open(gates: Gates) {
    for _ in 0..40 {
        yield_woken(1).await;
    }
    gates.iter().for_each(Gate::open);
}

async fn carry_out(task: usize, acts: Vec<Act>, gates: Gates, alive: Rc<Cell<usize>>) -> usize {
    let mut children = Vec::<JoinHandle<usize>>::new();
    let mut sum = 0;
    let mut born = 0;
    for act in acts {
        sum += 1;
        match act {
            Act::Yield(times) => yield_woken(times).await,
            Act::Open(gate) => gates[gate].open(),
            Act::Pass(gate) => gates[gate].passed().await,
            Act::SpawnChild if born < CHILDREN[task].len() => {
                alive.set(alive.get() + 1);
                let child = child(born, Rc::clone(&alive));
                children.push(spawn(watched(CHILDREN[task][born], child)));
                born += 1;
            }
            Act::AwaitChild => {
                if let Some(child) = children.pop() {
                    sum += child.await.unwrap_or(usize::MAX);
                }
            }
            Act::DropHandle => drop(children.pop()),
            Act::SpawnChild => {}
        }
    }
    sum
}

async fn child(yields: usize, alive: Rc<Cell<usize>>) -> usize {
    for _ in 0..yields {
        yield_woken(1).await;
    }
    alive.set(alive.get() - 1);
    10
}
