//! Trials of permits and locks: tasks ask and are cancelled, or lose their wait, at any moment.

use std::fmt;
use std::rc::Rc;

use asyncio::{Lock, Result, Semaphore};
use scene::{Program, Random, Transcript, say, trial};

use super::lines::{
    Leaves, Line, Wait, left_once_woken, once_woken, poll_elsewhere, poll_outside, to_clean_up,
};

/// An event that affects a lock or a semaphore.
#[derive(Debug, Clone, Copy)]
enum Act {
    Ask(usize),
    /// Asks as soon as something wakes its task, before the task hears of a cancellation.
    AskOnceWoken(usize),
    /// Asks after it has heard that it's cancelled, as a task that cleans up can do.
    AskToCleanUp(usize),
    /// Asks, and once it's woken, ends its own wait.
    AskAndLeave(usize, Leaves),
    /// Asks where no loop runs.
    AskOutside,
    AskInAnotherLoop,
    Release,
    Cancel(usize),
    Drop(usize),
    Tick,
}

/// An act, and whether a callback of the next tick does it.
#[derive(Debug, Clone, Copy)]
struct Verb {
    act: Act,
    soon: bool,
}

impl Verb {
    fn random(number: usize, asked: &mut Vec<usize>, random: &mut Random) -> Verb {
        // The others have probably got it already.
        let latest = &asked[asked.len().saturating_sub(5)..];
        let act = match random.below(40) {
            0..14 => {
                asked.push(number);
                Act::Ask(number)
            }
            14..20 => Act::Release,
            20..24 if !asked.is_empty() => Act::Cancel(random.choose(latest)),
            24..28 if !asked.is_empty() => Act::Drop(random.choose(latest)),
            28 => Act::AskOutside,
            29 if random.once_in(2) => Act::AskInAnotherLoop,
            _ => Act::Tick,
        };
        let can_be_soon = matches!(act, Act::Release | Act::Cancel(_) | Act::Drop(_));
        Verb { act, soon: can_be_soon && random.once_in(3) }
    }

    fn now(act: Act) -> Verb {
        Verb { act, soon: false }
    }
}

/// A semaphore's first task is woken and others queue behind it although there are free permits.
fn several_free(permits: usize, random: &mut Random) -> Vec<Verb> {
    let behind = 2 + random.below(3);
    let mut acts: Vec<Act> = (50..=50 + permits).map(Act::Ask).collect();
    acts.push(Act::Tick);
    acts.extend((0..behind).map(|other| Act::Ask(60 + other)));
    acts.extend(vec![Act::Release; behind + random.below(3)]);
    if random.once_in(3) {
        acts.push(Act::Cancel(50 + permits));
    }
    acts.push(Act::Tick);
    acts.into_iter().map(Verb::now).collect()
}

/// A lock that's free, for a cancelled task, or behind cancelled tasks.
fn free_lock(random: &mut Random) -> Vec<Verb> {
    let cancelled = 51..52 + random.below(3);
    let acts = match random.below(3) {
        0 => vec![Act::AskOnceWoken(50), Act::Tick, Act::Cancel(50), Act::Tick],
        1 => vec![Act::AskToCleanUp(50), Act::Tick, Act::Tick],
        _ => {
            let mut acts = vec![Act::Ask(50)];
            acts.extend(cancelled.clone().map(Act::Ask));
            acts.push(Act::Tick);
            acts.extend(cancelled.map(Act::Cancel));
            acts.extend([Act::Release, Act::AskOutside, Act::Tick]);
            acts
        }
    };
    acts.into_iter().map(Verb::now).collect()
}

/// The programs behind the random ones: a task waits for a lock, or a permit, that's held. Either
/// the task was cancelled before, or it ends its wait itself when it's woken.
fn given_verbs(variant: u32) -> Option<Vec<Verb>> {
    let waits = match variant {
        0 => Act::AskToCleanUp(51),
        1 => Act::AskAndLeave(51, Leaves::Drops),
        2 => Act::AskAndLeave(51, Leaves::Panics),
        _ => return None,
    };
    let acts = [Act::Ask(50), waits, Act::Ask(52), Act::Tick, Act::Tick, Act::Release];
    let acts = acts.into_iter().chain([Act::Tick; 2]);
    Some(acts.map(Verb::now).collect())
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Ask(task) => write!(f, "task {task} will call acquire()"),
            Act::AskOnceWoken(task) => {
                write!(f, "task {task} will call acquire() once it's woken")
            }
            Act::AskToCleanUp(task) => {
                write!(f, "task {task} will be cancelled and then call acquire()")
            }
            Act::AskAndLeave(task, Leaves::Drops) => {
                write!(f, "task {task} will call acquire() and drop the wait once it's woken")
            }
            Act::AskAndLeave(task, Leaves::Panics) => {
                write!(f, "task {task} will call acquire() and panic once it's woken")
            }
            Act::AskOutside => f.write_str("acquire(), outside a loop"),
            Act::AskInAnotherLoop => f.write_str("acquire(), in another loop"),
            Act::Release => f.write_str("release()"),
            Act::Cancel(task) => write!(f, "task {task}: cancel()"),
            Act::Drop(task) => write!(f, "task {task}: its wait is dropped"),
            Act::Tick => f.write_str("one tick"),
        }
    }
}

/// The state that the tasks share.
trait Shared: 'static {
    async fn acquire(&self) -> Result<()>;
    fn release(&self) -> Result<()>;
    fn locked(&self) -> bool;
}

impl Shared for Lock {
    async fn acquire(&self) -> Result<()> {
        self.acquire().await
    }

    fn release(&self) -> Result<()> {
        self.release()
    }

    fn locked(&self) -> bool {
        self.locked()
    }
}

impl Shared for Semaphore {
    async fn acquire(&self) -> Result<()> {
        self.acquire().await
    }

    fn release(&self) -> Result<()> {
        self.release();
        Ok(())
    }

    fn locked(&self) -> bool {
        self.locked()
    }
}

trial!(
    permits_are_passed_on,
    300,
    "No matter how waits end, no permit is lost or duplicated, and each permit goes to the first task in line."
);
fn permits_are_passed_on(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let given = program.number().checked_sub(297).and_then(given_verbs);
    let mut random = program.random();
    let permits = if given.is_some() { 1 } else { random.below(3) };
    say!(t, "Semaphore::new({permits})");
    let verbs = given.unwrap_or_else(|| {
        let opening =
            if random.once_in(10) { several_free(permits, &mut random) } else { Vec::new() };
        random_verbs(opening, random)
    });
    play(program, verbs, Rc::new(Semaphore::new(permits)), t)
}

trial!(
    locks_of_many_tasks,
    203,
    "No matter how waits end, tasks get the lock one at a time, in the order in which they asked."
);
fn locks_of_many_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let given = program.number().checked_sub(200).and_then(given_verbs);
    let verbs = given.unwrap_or_else(|| {
        let mut random = program.random();
        let opening = if random.once_in(10) { free_lock(&mut random) } else { Vec::new() };
        random_verbs(opening, random)
    });
    play(program, verbs, Rc::new(Lock::new()), t)
}

fn random_verbs(opening: Vec<Verb>, mut random: Random) -> Vec<Verb> {
    let mut asked = Vec::new();
    let others = (0..24).map(|number| Verb::random(number, &mut asked, &mut random));
    opening.into_iter().chain(others).collect()
}

fn play(
    program: &Program,
    verbs: Vec<Verb>,
    shared: Rc<impl Shared>,
    t: Transcript,
) -> anyhow::Result<()> {
    let verbs = program.verbs(verbs);
    let line = Line::new(t)?;
    for verb in verbs {
        perform(verb, &line, &shared, t)?;
    }
    // Each task that still waits gets it now, unless something that was released is lost.
    for _ in 0..=line.waiting().len() {
        line.tick()?;
        perform(Verb { act: Act::Release, soon: false }, &line, &shared, t)?;
    }
    line.tick()?;
    say!(t, "still waiting: {:?}; locked() = {}", line.waiting(), shared.locked());
    line.close()?;
    Ok(())
}

fn perform(
    verb: Verb,
    line: &Rc<Line>,
    shared: &Rc<impl Shared>,
    t: Transcript,
) -> anyhow::Result<()> {
    let Verb { act, soon } = verb;
    let did = match act {
        Act::Tick => {
            line.tick()?;
            say!(t, "  locked() = {}", shared.locked());
            return Ok(());
        }
        Act::Ask(number) => {
            line.begin(number, "acquire()", ask(shared));
            return Ok(());
        }
        Act::AskOnceWoken(number) => {
            line.begin(number, "acquire(), once it's woken", once_woken(ask(shared)));
            return Ok(());
        }
        Act::AskToCleanUp(number) => {
            line.begin(number, "acquire(), after it was cancelled", to_clean_up(ask(shared)));
            return Ok(());
        }
        Act::AskAndLeave(number, leaves) => {
            line.begin(number, "acquire()", left_once_woken(ask(shared), leaves));
            return Ok(());
        }
        Act::AskOutside => poll_outside(ask(shared)),
        Act::AskInAnotherLoop => poll_elsewhere(ask(shared))?,
        Act::Release | Act::Cancel(_) | Act::Drop(_) => {
            let (in_line, shared) = (Rc::clone(line), Rc::clone(shared));
            line.perform(soon, move || {
                let did = match act {
                    Act::Cancel(number) => in_line.cancel(number),
                    Act::Drop(number) => in_line.drop_wait(number),
                    _ => Some(format!("{:?}", shared.release())),
                };
                if let Some(did) = did {
                    say!(t, "  {act}: {did}; locked() = {}", shared.locked());
                }
            });
            return Ok(());
        }
    };
    say!(t, "  {act}: {did}; locked() = {}", shared.locked());
    Ok(())
}

fn ask(shared: &Rc<impl Shared>) -> Wait {
    let shared = Rc::clone(shared);
    Box::pin(async move {
        shared.acquire().await?;
        Ok("acquired".to_owned())
    })
}
