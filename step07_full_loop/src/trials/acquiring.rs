//! Trials of permits and locks: tasks ask and are cancelled, or lose their wait, at any moment.

use std::fmt;
use std::rc::Rc;

use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{Lock, Result, Semaphore};

use super::lines::{Line, Wait, poll_elsewhere, poll_outside};

/// Something that happens to a lock, or to a semaphore.
#[derive(Debug, Clone, Copy)]
enum Act {
    Ask(usize),
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
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Ask(task) => write!(f, "task {task} will ask"),
            Act::AskOutside => f.write_str("acquire(), where no loop runs"),
            Act::AskInAnotherLoop => f.write_str("acquire(), in another loop"),
            Act::Release => f.write_str("release()"),
            Act::Cancel(task) => write!(f, "task {task}: cancel()"),
            Act::Drop(task) => write!(f, "task {task}: its wait is dropped"),
            Act::Tick => f.write_str("one tick"),
        }
    }
}

/// What the tasks share.
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
    "However waits end, no permit is lost, none is made up, and each goes to the first that waits."
);
fn permits_are_passed_on(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let permits = random.below(3);
    say!(t, "Semaphore::new({permits})");
    play(program, random, Rc::new(Semaphore::new(permits)), t)
}

trial!(
    locks_of_many_tasks,
    200,
    "However waits end, one task at a time has the lock, in the order in which they asked."
);
fn locks_of_many_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    play(program, program.random(), Rc::new(Lock::new()), t)
}

fn play(
    program: &Program,
    mut random: Random,
    shared: Rc<impl Shared>,
    t: Transcript,
) -> anyhow::Result<()> {
    let mut asked = Vec::new();
    let verbs = (0..24).map(|number| Verb::random(number, &mut asked, &mut random));
    let verbs = program.verbs(verbs.collect::<Vec<_>>());
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
