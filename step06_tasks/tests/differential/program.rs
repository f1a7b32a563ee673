//! A random program, and its text.
//!
//! It has futures and tasks, together its *objects*, which go by number: the futures come first. A
//! verb names an action on an object; its second number is a result, a message, a callback or a
//! place in a list, as the verb needs it.

use std::fmt;

use fastrand::Rng;

/// The objects with smaller numbers are futures, the others are tasks.
pub(crate) const FUTURES: usize = 3;

/// The reaction of a task to a failed await, be it a cancellation or another error.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Policy {
    /// Passes the error on.
    Pass,
    /// Goes on with its next verb.
    Swallow,
    /// Takes one request back and goes on.
    Uncancel,
    /// Gives others a turn, then passes the error on.
    CleanUp,
    /// Waits for the first future, then passes the error on.
    Linger,
    /// Ends with an error of its own.
    Replace,
    /// Ends with a result.
    Return,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Spawn,
    Create,
    SetResult,
    SetException,
    Cancel,
    Cancelling,
    Uncancel,
    Result,
    Exception,
    State,
    AddCallback,
    RemoveCallback,
    CallSoon,
    CancelHandle,
    SetName,
    Name,
    Current,
    AllTasks,
    /// Lets go of an object.
    Drop,
    /// Fails: the task ends with an error, the callback is reported.
    Fail,
    // The following are for tasks only.
    Await,
    Yield,
    Panic,
    /// Ends as if cancelled, with a message of its own.
    RaiseCancelled,
    Return,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Verb {
    pub(crate) kind: Kind,
    pub(crate) object: usize,
    pub(crate) number: usize,
}

/// The verbs of the program between two rounds, of a task, or of a callback.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    /// For a task.
    pub(crate) policy: Option<Policy>,
    pub(crate) verbs: Vec<Verb>,
}

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) rounds: Vec<Part>,
    pub(crate) tasks: Vec<Part>,
    pub(crate) callbacks: Vec<Part>,
}

impl Program {
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let (rounds, tasks, callbacks) =
            (random.usize(3..8), random.usize(1..6), random.usize(1..4));
        let mut part = |length, task| Part::random(&mut random, length, tasks, task);
        let mut program = Program {
            rounds: (0..rounds).map(|_| part(3, None)).collect(),
            tasks: (0..tasks).map(|task| part(8, Some(task))).collect(),
            callbacks: (0..callbacks).map(|_| part(4, None)).collect(),
        };
        // Starts each task, if no other verb starts it earlier.
        for task in 0..tasks {
            let round = random.usize(..rounds.min(3));
            let spawn = Verb { kind: Kind::Spawn, object: FUTURES + task, number: 0 };
            program.rounds[round].verbs.push(spawn);
        }
        program
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Part> {
        self.rounds.iter_mut().chain(&mut self.tasks).chain(&mut self.callbacks)
    }

    /// Returns all programs that are shorter by one verb.
    pub(crate) fn shorter(&self) -> impl Iterator<Item = Program> {
        let lengths: Vec<_> = self.clone().parts().map(|part| part.verbs.len()).collect();
        let places = lengths.into_iter().enumerate();
        let places = places.flat_map(|(part, length)| (0..length).map(move |verb| (part, verb)));
        places.map(|(part, verb)| {
            let mut program = self.clone();
            if let Some(part) = program.parts().nth(part) {
                part.verbs.remove(verb);
            }
            program
        })
    }
}

impl Part {
    /// Makes up to `longest` verbs, for `task` if there's one.
    fn random(random: &mut Rng, longest: usize, tasks: usize, task: Option<usize>) -> Self {
        let policies = [
            Policy::Pass,
            Policy::Swallow,
            Policy::Uncancel,
            Policy::CleanUp,
            Policy::Linger,
            Policy::Replace,
            Policy::Return,
        ];
        let policy = task.and_then(|_| random.choice(policies));
        let length = random.usize(..=longest);
        let verbs = (0..length).map(|_| Verb::random(random, tasks, task)).collect();
        Part { policy, verbs }
    }
}

impl Verb {
    fn random(random: &mut Rng, tasks: usize, task: Option<usize>) -> Self {
        let kind = match task {
            Some(_) if random.bool() => choose(random, IN_TASKS),
            _ => choose(random, ANYWHERE),
        };
        let any_task = match task {
            Some(task) if random.bool() => task,
            _ => random.usize(..tasks),
        };
        let object = match kind {
            Kind::Create | Kind::SetResult | Kind::SetException => random.usize(..FUTURES),
            Kind::Spawn => FUTURES + random.usize(..tasks),
            Kind::Cancelling | Kind::Uncancel | Kind::SetName | Kind::Name => FUTURES + any_task,
            _ if random.usize(..5) < 2 => random.usize(..FUTURES),
            // Rings of awaits are left out: cancelling one ends in CPython's recursion limit. A
            // ring of one task is an error, and most of those are replaced by a future.
            Kind::Await => match random.usize(task.unwrap_or(0)..tasks) {
                other if Some(other) == task && random.usize(..4) > 0 => random.usize(..FUTURES),
                other => FUTURES + other,
            },
            _ => FUTURES + any_task,
        };
        Verb { kind, object, number: random.usize(..4) }
    }
}

/// The frequency of each kind, in tasks, in callbacks and between the rounds.
const ANYWHERE: &[(Kind, usize)] = &[
    (Kind::Spawn, 2),
    (Kind::Create, 1),
    (Kind::SetResult, 5),
    (Kind::SetException, 3),
    (Kind::Cancel, 9),
    (Kind::Cancelling, 2),
    (Kind::Uncancel, 3),
    (Kind::Result, 2),
    (Kind::Exception, 2),
    (Kind::State, 1),
    (Kind::AddCallback, 5),
    (Kind::RemoveCallback, 2),
    (Kind::CallSoon, 3),
    (Kind::CancelHandle, 2),
    (Kind::SetName, 1),
    (Kind::Name, 1),
    (Kind::Current, 1),
    (Kind::AllTasks, 1),
    (Kind::Drop, 4),
    (Kind::Fail, 1),
];

const IN_TASKS: &[(Kind, usize)] = &[
    (Kind::Await, 12),
    (Kind::Yield, 6),
    (Kind::Fail, 1),
    (Kind::Panic, 1),
    (Kind::RaiseCancelled, 1),
    (Kind::Return, 1),
];

fn choose(random: &mut Rng, kinds: &[(Kind, usize)]) -> Kind {
    let all = kinds.iter().flat_map(|&(kind, weight)| std::iter::repeat_n(kind, weight));
    random.choice(all.collect::<Vec<_>>()).unwrap_or(Kind::State)
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}:{}:{}", self.kind, self.object, self.number)
    }
}

impl fmt::Display for Program {
    /// Prints a line per part and an empty line at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = self.rounds.iter().map(|part| ("round", part));
        let tasks = self.tasks.iter().map(|part| ("task", part));
        let callbacks = self.callbacks.iter().map(|part| ("callback", part));
        for (name, part) in rounds.chain(tasks).chain(callbacks) {
            write!(f, "{name}")?;
            if let Some(policy) = part.policy {
                write!(f, " {policy:?}")?;
            }
            for verb in &part.verbs {
                write!(f, " {verb}")?;
            }
            writeln!(f)?;
        }
        writeln!(f)
    }
}
