//! Trials of `send` and `take` at the same time. The threads take turns, so each plan is one
//! order of their system calls, their locks, and their allocations while a queue is locked.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use kit::{Ending, ThreadBody, Turns};
use scene::{Program, Random, Transcript, say, trial};
use step05_selfpipe::{Inbox, Sender};

use super::pipes::{empty, readable};
use crate::scenes::allocations::LARGE;

/// A value so large that a push stops the thread where the list grows, with the queue locked.
struct Value {
    thread: usize,
    number: usize,
    _space: [u8; LARGE],
}

/// The loop's way of taking the values: `take`, or code by hand while `take` isn't written.
type Collect = fn(&Inbox<Value>, &mut Vec<Value>) -> std::io::Result<()>;

/// A thread's action.
#[derive(Debug, Clone, Copy)]
enum Role {
    /// Sends a value.
    Sender,
    /// Takes once, if the inbox is readable.
    Loop,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Sender => "sends",
            Role::Loop => "takes",
        })
    }
}

/// The names of the threads.
const NAMES: [&str; 3] = ["A", "B", "C"];
/// The number that stands for the sender of the values that are in the queue at first.
const BEFORE: usize = 9;

/// Values that are sent at first, then threads, and the order of their turns.
#[derive(Debug, Clone)]
struct Plan {
    sent_first: usize,
    roles: Vec<Role>,
    /// The threads that run next, each with its number of turns.
    turns: Vec<(usize, usize)>,
}

impl Plan {
    /// Interrupts the first thread after some of its calls, in one of four ways: the second thread
    /// runs to its end, or to a lock that the first thread may release with its next call; the
    /// second thread is interrupted, too; the two take turns before the third thread runs; or the
    /// third thread runs when the second thread has taken the lock and released it again.
    fn interrupted(roles: &[Role], place: usize) -> Plan {
        let first = 1 + place % 4;
        let (second, ends) = match place / 4 % 4 {
            0 => (vec![(1, TO_THE_END), (0, 1), (1, TO_THE_END)], [2, 0, 1]),
            1 => (vec![(1, 2)], [2, 0, 1]),
            2 => (vec![(1, 1), (0, 1), (1, 1)], [2, 1, 0]),
            _ => (vec![(1, TO_THE_END), (0, 1), (1, 1)], [2, 1, 0]),
        };
        let mut turns = vec![(0, first)];
        turns.extend(second);
        turns.extend(ends.map(|thread| (thread, TO_THE_END)));
        Plan { sent_first: place / 16, roles: roles.to_vec(), turns }
    }

    fn random(roles: &[Role], random: &mut Random) -> Plan {
        let turns = (0..12).map(|_| (random.below(roles.len()), 1 + random.below(3))).collect();
        Plan { sent_first: random.below(3), roles: roles.to_vec(), turns }
    }
}

const TO_THE_END: usize = 100;
/// The number of ways to interrupt a thread.
const PLACES: usize = 32;

/// The values that the loop has taken.
type Taken = Arc<Mutex<Vec<(usize, usize)>>>;

/// Carries out plans with some roles: each way to interrupt a thread, and some random plans.
fn run(program: &Program, t: Transcript, roles: &[Role], collect: Collect) -> anyhow::Result<()> {
    let mut random = program.random();
    let mut plans: Vec<Plan> = (0..PLACES).map(|place| Plan::interrupted(roles, place)).collect();
    plans.extend((0..2).map(|_| Plan::random(roles, &mut random)));
    let mut threads = Turns::new(roles.len())?;
    for plan in program.verbs(plans) {
        if !carry_out(plan, &mut threads, t, collect)? {
            break;
        }
    }
    Ok(())
}

/// Returns false if the threads don't come to an end.
fn carry_out(
    plan: Plan,
    threads: &mut Turns,
    t: Transcript,
    collect: Collect,
) -> anyhow::Result<bool> {
    let inbox = Arc::new(Inbox::new()?);
    let taken: Taken = Arc::default();
    send(&inbox.sender(), BEFORE, plan.sent_first);
    let named: Vec<String> =
        NAMES.iter().zip(&plan.roles).map(|(name, role)| format!("thread {name} {role}")).collect();
    say!(t, "{} values are sent first; then at once: {}", plan.sent_first, named.join(", "));
    let bodies = plan.roles.iter().enumerate().map(|(thread, role)| {
        let (inbox, taken) = (Arc::clone(&inbox), Arc::clone(&taken));
        body(*role, thread, inbox, taken, collect)
    });
    let mut turns = plan.turns.into_iter().flat_map(|(thread, times)| vec![thread; times]);
    let (ending, calls) = threads.run(bodies.collect(), |able| {
        turns.by_ref().find(|thread| able.contains(thread)).unwrap_or(able[0])
    })?;
    if ending != Ending::Done {
        let why = match ending {
            Ending::Done | Ending::Deadlock => "they wait for locks that no thread will release",
            Ending::Endless => "they make one call after another",
        };
        say!(t, "  the threads don't end: {why}; {}", listed(&calls));
        return Ok(false);
    }
    let was_empty = inbox.is_empty();
    let before = number_of(&taken);
    // From here on the loop takes whenever the inbox is readable.
    for _ in 0..5 {
        take(&inbox, &taken, collect);
    }
    // Not in another order: `len` locks the queue and so corrects what `is_empty` looks at.
    let (is_empty, left) = (inbox.is_empty(), inbox.len());
    let in_queue = [number_of(&taken) - before + left, left];
    let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
    let senders = plan.roles.iter().filter(|role| matches!(role, Role::Sender)).count();
    let sent = plan.sent_first + senders;
    let mut each: Vec<_> = taken.clone();
    each.sort_unstable();
    each.dedup();
    say!(t, "  of {sent} values, the loop gets {}, {} of them different", taken.len(), each.len());
    if taken.len() != sent || each.len() != sent {
        let readable = readable(&*inbox)?;
        say!(t, "  the queue holds {left} and the inbox is {readable}; {}", listed(&calls));
    }
    for (is_empty, in_queue) in [was_empty, is_empty].into_iter().zip(in_queue) {
        if is_empty != (in_queue == 0) {
            say!(t, "  is_empty() was {is_empty} with {in_queue} in the queue; {}", listed(&calls));
        }
    }
    Ok(true)
}

fn number_of(taken: &Taken) -> usize {
    taken.lock().unwrap_or_else(PoisonError::into_inner).len()
}

fn body(
    role: Role,
    thread: usize,
    inbox: Arc<Inbox<Value>>,
    taken: Taken,
    collect: Collect,
) -> ThreadBody {
    match role {
        Role::Sender => {
            let sender = inbox.sender();
            Box::new(move || send(&sender, thread, 1))
        }
        Role::Loop => Box::new(move || take(&inbox, &taken, collect)),
    }
}

fn send(sender: &Sender<Value>, thread: usize, count: usize) {
    for number in 0..count {
        let _ = sender.send(Value { thread, number, _space: [0; LARGE] });
    }
}

/// Takes once if the inbox is readable and notes the values.
fn take(inbox: &Inbox<Value>, taken: &Taken, collect: Collect) {
    let mut values = Vec::new();
    if readable(inbox).is_ok_and(|it| it == "readable") && collect(inbox, &mut values).is_ok() {
        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.extend(values.iter().map(|value| (value.thread, value.number)));
    }
}

/// Lists the calls in their order: `A: read, B: write`.
fn listed(calls: &[(usize, &'static str)]) -> String {
    let calls = calls.iter().take(40).map(|(thread, call)| format!("{}: {call}", NAMES[*thread]));
    format!("the order was {}", calls.collect::<Vec<_>>().join(", "))
}

trial!(
    senders_take_turns,
    4,
    "In whichever order threads send and the loop wakes up, no value waits in the queue without a byte in the pipe."
);
fn senders_take_turns(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let roles: &[Role] = match program.number() {
        0 => &[Role::Sender, Role::Sender],
        1 => &[Role::Loop, Role::Sender],
        2 => &[Role::Sender, Role::Loop],
        _ => &[Role::Sender, Role::Sender, Role::Loop],
    };
    run(program, t, roles, |inbox, values| {
        empty(inbox)?;
        inbox.take_ahead(values);
        Ok(())
    })
}

trial!(
    senders_and_the_loop_take_turns,
    3,
    "In whichever order threads send values and the loop takes them, each value is taken once."
);
fn senders_and_the_loop_take_turns(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let roles: &[Role] = match program.number() {
        0 => &[Role::Loop, Role::Sender],
        1 => &[Role::Loop, Role::Sender, Role::Sender],
        _ => &[Role::Sender, Role::Loop, Role::Sender],
    };
    run(program, t, roles, Inbox::take)
}
