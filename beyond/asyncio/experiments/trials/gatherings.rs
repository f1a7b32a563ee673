//! Trials of `gather`: tasks and futures that end in all ways, before and after the gathering is
//! over, while others cancel them, the gathering, or the task that waits for it.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use asyncio::{
    Error, Future, Result, Task, create_task, gather, gather_return_exceptions, get_running_loop,
    yield_now,
};
use scene::{Program, Random, Transcript, say, trial};

use super::parts::{How, in_ticks, reporting_loop, stubborn_ticks, ticks};

const CHILDREN: usize = 5;
/// By then, all tasks have ended.
const LAST_TICK: usize = 20;

/// An argument of the gathering.
#[derive(Debug, Clone, Copy)]
enum Argument {
    /// A task that ends after this many ticks, or when it's cancelled.
    Ends(usize, How),
    /// A task that swallows a cancellation, runs on for as many ticks again, and then ends as it
    /// would have.
    GoesOn(usize, How),
    /// A future that isn't finished by a task.
    Future,
    /// The same as an earlier argument.
    Again(usize),
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Finish(usize, How),
    CancelChild(usize),
    CancelGathering,
    CancelWithMessage,
    /// The caller itself finishes the future that was returned.
    FinishGathering,
    /// Cancels the task that awaits the gathering.
    CancelWaiter,
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Child(usize, Argument),
    /// Happens in this tick. In tick 0, the gathering hasn't begun.
    At(usize, Act),
    ErrorsAreResults,
    /// Nothing awaits the gathering, and it's dropped in this tick.
    DropAt(usize),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Argument::Ends(after, how) => {
                write!(f, "a task that ends {how} after {}", in_ticks(after))
            }
            Argument::GoesOn(after, how) => {
                let ticks = in_ticks(after);
                write!(f, "a task that ends {how} after {ticks}, or {ticks} after a cancellation")
            }
            Argument::Future => f.write_str("a future"),
            Argument::Again(other) => write!(f, "child {other} again"),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Finish(number, how) => write!(f, "child {number} is finished {how}"),
            Act::CancelChild(number) => write!(f, "child {number}: cancel()"),
            Act::CancelGathering => f.write_str("the gathering: cancel()"),
            Act::CancelWithMessage => f.write_str("the gathering: cancel(), with a message"),
            Act::FinishGathering => f.write_str("the gathering: set_exception()"),
            Act::CancelWaiter => f.write_str("the waiter: cancel()"),
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Child(number, argument) => write!(f, "child {number}: {argument}"),
            Verb::At(tick, act) => write!(f, "tick {tick}: {act}"),
            Verb::ErrorsAreResults => f.write_str("errors are results"),
            Verb::DropAt(tick) => {
                write!(f, "tick {tick}: the gathering, which no task awaits, is dropped")
            }
        }
    }
}

/// The first programs and the last ones, because few random ones are like them.
fn given_verbs(program: u32) -> Option<Vec<Verb>> {
    let [fails, value] = [How::Failure, How::Value];
    Some(match program {
        0 => vec![Verb::Child(0, Argument::GoesOn(4, fails)), Verb::At(2, Act::CancelGathering)],
        1 => vec![
            Verb::Child(0, Argument::Ends(1, fails)),
            Verb::Child(1, Argument::Ends(9, value)),
            Verb::ErrorsAreResults,
            Verb::DropAt(5),
        ],
        2 => vec![
            Verb::Child(0, Argument::Ends(9, value)),
            Verb::Child(1, Argument::Ends(1, fails)),
            Verb::Child(2, Argument::Ends(2, value)),
            Verb::ErrorsAreResults,
            Verb::DropAt(5),
        ],
        3 => vec![
            Verb::Child(0, Argument::GoesOn(4, fails)),
            Verb::ErrorsAreResults,
            Verb::At(2, Act::CancelGathering),
        ],
        120 => vec![Verb::Child(0, Argument::Ends(4, value)), Verb::At(2, Act::CancelWithMessage)],
        121 => vec![Verb::Child(0, Argument::Ends(4, fails)), Verb::At(2, Act::FinishGathering)],
        // The first child's error is never collected.
        122 => vec![
            Verb::Child(0, Argument::GoesOn(3, fails)),
            Verb::Child(1, Argument::GoesOn(9, value)),
            Verb::ErrorsAreResults,
            Verb::At(2, Act::CancelGathering),
            Verb::DropAt(9),
        ],
        _ => return None,
    })
}

fn random_verbs(random: &mut Random) -> Vec<Verb> {
    let children = random.below(CHILDREN + 1);
    let mut verbs = Vec::new();
    for number in 0..children {
        let argument = match random.below(8) {
            0..3 => Argument::Ends(random.below(8), How::random(random)),
            3 => Argument::GoesOn(1 + random.below(6), How::random(random)),
            4..7 => Argument::Future,
            _ => Argument::Again(random.below(children)),
        };
        verbs.push(Verb::Child(number, argument));
        if matches!(argument, Argument::Future) {
            let act = Act::Finish(number, How::random(random));
            verbs.push(Verb::At(random.below(8), act));
        }
    }
    for _ in 0..random.below(3) {
        let act = match random.below(6) {
            0..2 => Act::CancelChild(random.below(CHILDREN)),
            2 => Act::CancelWithMessage,
            3 => Act::CancelWaiter,
            _ => Act::CancelGathering,
        };
        verbs.push(Verb::At(random.below(8), act));
    }
    if random.once_in(2) {
        verbs.push(Verb::ErrorsAreResults);
    }
    if random.once_in(8) {
        verbs.push(Verb::DropAt(1 + random.below(8)));
    }
    verbs
}

async fn live(t: Transcript, number: usize, argument: Argument) -> Result<usize> {
    let (Argument::Ends(after, how) | Argument::GoesOn(after, how)) = argument else {
        return Ok(number);
    };
    if let Err(cancelled) = ticks(after).await {
        say!(t, "    child {number} is cancelled");
        if !matches!(argument, Argument::GoesOn(..)) {
            return Err(cancelled);
        }
        stubborn_ticks(after).await;
    }
    say!(t, "    child {number} ends {how}");
    how.end(number)
}

/// The future that's returned, with its type erased.
struct Gathering {
    state: Box<dyn Fn() -> String>,
    cancel: Box<dyn Fn() -> bool>,
    cancel_with: Box<dyn Fn(&str) -> bool>,
    finish: Box<dyn Fn() -> bool>,
    waiter: Option<Task<()>>,
}

impl Gathering {
    fn new<T>(t: Transcript, future: &Future<T>, is_awaited: bool) -> Result<Self>
    where
        T: Clone + Debug + 'static,
    {
        let [awaited, looked_at, cancelled, with, finished] = [(); 5].map(|()| future.clone());
        let state = move || {
            let outcome = looked_at.done().then(|| looked_at.result());
            outcome.map_or_else(|| "pending".to_owned(), |outcome| format!("done: {outcome:?}"))
        };
        let waiting = async move {
            let outcome = awaited.await;
            say!(t, "    the waiter gets {outcome:?}");
            Ok(())
        };
        Ok(Gathering {
            state: Box::new(state),
            cancel: Box::new(move || cancelled.cancel()),
            cancel_with: Box::new(move |message| with.cancel_with(message)),
            finish: Box::new(move || finished.set_exception(Error::other("the caller's")).is_ok()),
            waiter: is_awaited.then(|| create_task(waiting)).transpose()?,
        })
    }
}

/// The children, by their numbers.
type Children = BTreeMap<usize, Future<usize>>;

fn perform(t: Transcript, act: Act, children: &Children, gathering: Option<&Gathering>) {
    let outcome = match (act, gathering) {
        (Act::CancelChild(number), _) => children.get(&number).map(Future::cancel),
        (Act::Finish(number, how), _) => children.get(&number).map(|future| match how {
            How::Value => future.set_result(number).is_ok(),
            How::Failure => future.set_exception(Error::other("a failure")).is_ok(),
            How::Cancellation => future.cancel(),
            How::Panic => future.set_exception(Error::Panicked("a panic".to_owned())).is_ok(),
        }),
        (Act::CancelGathering, Some(gathering)) => Some((gathering.cancel)()),
        (Act::CancelWithMessage, Some(gathering)) => Some((gathering.cancel_with)("a message")),
        (Act::FinishGathering, Some(gathering)) => Some((gathering.finish)()),
        (Act::CancelWaiter, Some(gathering)) => {
            gathering.waiter.as_ref().map(|waiter| waiter.cancel())
        }
        (_, None) => None,
    };
    if let Some(outcome) = outcome {
        say!(t, "  {act}: {outcome}");
    }
}

async fn conduct(t: Transcript, verbs: Vec<Verb>) -> Result<()> {
    let event_loop = get_running_loop()?;
    let (mut children, mut arguments) = (Children::new(), Vec::new());
    for verb in &verbs {
        let Verb::Child(number, argument) = *verb else { continue };
        let child = match argument {
            Argument::Again(other) => children.get(&other).cloned(),
            Argument::Future => Some(event_loop.create_future()),
            _ => Some(create_task(live(t, number, argument))?.future()),
        };
        if let Some(child) = child {
            children.insert(number, child.clone());
            arguments.push(child);
        }
    }
    let acts_in = |tick| {
        let acts = verbs.iter().filter_map(move |verb| match verb {
            Verb::At(at, act) if *at == tick => Some(*act),
            _ => None,
        });
        // The last one, for what would never end.
        acts.chain((tick + 4 == LAST_TICK).then_some(Act::CancelGathering)).collect::<Vec<_>>()
    };
    for act in acts_in(0) {
        perform(t, act, &children, None);
    }
    let dropped_at = verbs.iter().find_map(|verb| match verb {
        Verb::DropAt(tick) => Some(*tick),
        _ => None,
    });
    let is_awaited = dropped_at.is_none();
    let mut gathering = Some(if verbs.iter().any(|verb| matches!(verb, Verb::ErrorsAreResults)) {
        Gathering::new(t, &gather_return_exceptions(arguments)?, is_awaited)?
    } else {
        Gathering::new(t, &gather(arguments)?, is_awaited)?
    });
    let mut state = String::new();
    for tick in 1..=LAST_TICK {
        if dropped_at == Some(tick) {
            gathering = None;
        }
        let now = gathering.as_ref().map_or_else(|| "dropped".to_owned(), |it| (it.state)());
        if now != state {
            say!(t, "  tick {tick}: the gathering is {now}");
            state = now;
        }
        for act in acts_in(tick) {
            perform(t, act, &children, gathering.as_ref());
        }
        yield_now().await?;
    }
    Ok(())
}

trial!(
    gatherings,
    123,
    "A gathering ends with its last child or, unless errors are results, at the first error. Unless \
     the gathering is dropped, no child's error is reported."
);
fn gatherings(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let given = given_verbs(program.number());
    let verbs = given.unwrap_or_else(|| random_verbs(&mut program.random()));
    let verbs = program.verbs(verbs);
    for verb in &verbs {
        say!(t, "{verb}");
    }
    let event_loop = reporting_loop(t)?;
    event_loop.run_until_complete(conduct(t, verbs))?;
    event_loop.close()?;
    Ok(())
}
