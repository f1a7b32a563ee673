//! Trials of permits and locks: tasks ask and are cancelled, or lose their wait, at any moment.

use std::fmt;
use std::future::poll_fn;
use std::mem;
use std::rc::Rc;
use std::task::Poll;

use asyncio::{Lock, Result, Semaphore, current_task, yield_now};
use scene::{Program, Random, Transcript, say, trial};

use super::lines::{Line, Wait, poll_elsewhere, poll_outside};

/// An event that affects a lock or a semaphore.
#[derive(Debug, Clone, Copy)]
enum Act {
    Ask(usize),
    /// Asks as soon as something wakes its task, before the task hears of a cancellation.
    AskOnceWoken(usize),
    /// Asks after it has heard that it's cancelled, as a task that cleans up can do.
    AskToCleanUp(usize),
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
    let mut random = program.random();
    let permits = random.below(3);
    say!(t, "Semaphore::new({permits})");
    let opening = if random.once_in(10) { several_free(permits, &mut random) } else { Vec::new() };
    play(program, opening, random, Rc::new(Semaphore::new(permits)), t)
}

trial!(
    locks_of_many_tasks,
    200,
    "No matter how waits end, tasks get the lock one at a time, in the order in which they asked."
);
fn locks_of_many_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let opening = if random.once_in(10) { free_lock(&mut random) } else { Vec::new() };
    play(program, opening, random, Rc::new(Lock::new()), t)
}

fn play(
    program: &Program,
    opening: Vec<Verb>,
    mut random: Random,
    shared: Rc<impl Shared>,
    t: Transcript,
) -> anyhow::Result<()> {
    let mut asked = Vec::new();
    let mut verbs = opening;
    verbs.extend((0..24).map(|number| Verb::random(number, &mut asked, &mut random)));
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
            let (wait, mut is_woken) = (ask(shared), false);
            let wait = async move {
                // This isn't what takes a cancellation, so the task hears of it later.
                poll_fn(|_| {
                    if mem::replace(&mut is_woken, true) { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
                wait.await
            };
            line.begin(number, "acquire(), once it's woken", Box::pin(wait));
            return Ok(());
        }
        Act::AskToCleanUp(number) => {
            let wait = ask(shared);
            let wait = async {
                current_task().map(|task| task.cancel());
                // It fails with `Cancelled`.
                let _ = yield_now().await;
                wait.await
            };
            line.begin(number, "acquire(), after it was cancelled", Box::pin(wait));
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
