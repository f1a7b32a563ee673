//! Trials of a task group's end: members and blocks that end in all ways, clean up, and make more
//! members, while the task that waits for them is cancelled.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future as Coroutine, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;

use asyncio::{
    AnyTask, Error, ExceptionGroup, Result, TaskGroup, create_task, current_task, yield_now,
};
use scene::{Program, Random, Transcript, say, trial};

use super::parts::{How, in_ticks, reporting_loop, stubborn_ticks, ticks};

const MEMBERS: usize = 4;
/// By then, everything has ended.
const LAST_TICK: usize = 40;
/// A group that checks more often than this whether its members have ended is spinning.
const MANY_POLLS: u32 = 24;

/// The action of a member or a block after this many ticks, or when it's cancelled.
#[derive(Debug, Clone, Copy)]
struct Life {
    ticks: usize,
    how: How,
    if_cancelled: IfCancelled,
}

#[derive(Debug, Clone, Copy)]
enum IfCancelled {
    Ends,
    /// It cleans up for this many ticks. Another cancellation doesn't stop that.
    CleansUp(usize),
    /// It takes back a request to cancel the group's task as it cleans up.
    Uncancels(usize),
    /// It fails as it cleans up.
    Fails(usize),
    /// It returns a value all the same.
    Swallows(usize),
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Member(usize, Life),
    /// A member that makes another one.
    Adds(usize, Life),
    Block(Life),
    /// The block makes a group of its own in the first one, for the members that come later.
    Inner,
    CancelAt(usize),
    CancelMemberAt(usize, usize),
    /// A task that isn't a member tries to make one.
    AddFromOutsideAt(usize),
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Life { ticks, how, if_cancelled } = self;
        write!(f, "ends {how} after {}; if it's cancelled, it {if_cancelled}", in_ticks(*ticks))
    }
}

impl fmt::Display for IfCancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (more, then) = match *self {
            IfCancelled::Ends => return f.write_str("ends at once"),
            IfCancelled::CleansUp(more) => (more, ""),
            IfCancelled::Uncancels(more) => (more, " and takes back a request to the parent"),
            IfCancelled::Fails(more) => (more, " and fails"),
            IfCancelled::Swallows(more) => (more, " and returns a value"),
        };
        write!(f, "cleans up for {}{then}", in_ticks(more))
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Member(number, life) => write!(f, "member {number}: {life}"),
            Verb::Adds(number, life) => {
                write!(f, "member {number}, which creates a task at its end: {life}")
            }
            Verb::Block(life) => write!(f, "the block, as member 0: {life}"),
            Verb::Inner => f.write_str("the next members are in an inner group"),
            Verb::CancelAt(tick) => write!(f, "tick {tick}: cancel the task"),
            Verb::CancelMemberAt(tick, number) => write!(f, "tick {tick}: cancel member {number}"),
            Verb::AddFromOutsideAt(tick) => write!(f, "tick {tick}: create a task from outside"),
        }
    }
}

impl Life {
    fn random(random: &mut Random) -> Life {
        let more = random.below(6);
        Life {
            ticks: random.below(8),
            how: How::random(random),
            if_cancelled: match random.below(8) {
                0..3 => IfCancelled::Ends,
                3..5 => IfCancelled::CleansUp(more),
                5 => IfCancelled::Uncancels(more),
                6 => IfCancelled::Fails(more),
                _ => IfCancelled::Swallows(more),
            },
        }
    }

    async fn live(self, t: Transcript, number: usize, stage: Rc<Stage>) -> Result<usize> {
        if let Err(cancelled) = ticks(self.ticks).await {
            say!(t, "    member {number} is cancelled");
            return match self.if_cancelled {
                IfCancelled::Ends => Err(cancelled),
                IfCancelled::CleansUp(more) => {
                    stubborn_ticks(more).await;
                    let requests = stage.parent.borrow().as_ref().map_or(0, AnyTask::cancelling);
                    say!(
                        t,
                        "    member {number} has cleaned up; requests to the parent: {requests}"
                    );
                    Err(cancelled)
                }
                IfCancelled::Uncancels(more) => {
                    stubborn_ticks(more).await;
                    let left = stage.parent.borrow().as_ref().map_or(0, AnyTask::uncancel);
                    say!(
                        t,
                        "    member {number} takes back a request to the parent and leaves {left}"
                    );
                    Err(cancelled)
                }
                IfCancelled::Fails(more) => {
                    stubborn_ticks(more).await;
                    say!(t, "    member {number} fails");
                    Err(Error::other(format!("{number}'s clean-up")))
                }
                IfCancelled::Swallows(more) => {
                    stubborn_ticks(more).await;
                    say!(t, "    member {number} returns anyway");
                    Ok(number)
                }
            };
        }
        say!(t, "    member {number} ends {}", self.how);
        self.how.end(number)
    }
}

/// The task is cancelled again and again while a member cleans up.
fn many_cancellations() -> Vec<Verb> {
    let block = Life { ticks: 0, how: How::Value, if_cancelled: IfCancelled::Ends };
    let member = Life { ticks: 20, how: How::Value, if_cancelled: IfCancelled::CleansUp(12) };
    let mut verbs = vec![Verb::Block(block), Verb::Member(1, member)];
    verbs.extend((3..9).map(Verb::CancelAt));
    verbs
}

fn random_verbs(random: &mut Random) -> Vec<Verb> {
    let mut verbs = vec![Verb::Block(Life::random(random))];
    let members = random.below(MEMBERS + 1);
    for number in 1..=members {
        let life = Life::random(random);
        let adds = random.once_in(5);
        verbs.push(if adds { Verb::Adds(number, life) } else { Verb::Member(number, life) });
        if random.once_in(6) {
            verbs.push(Verb::Inner);
        }
    }
    for _ in 0..random.below(3) {
        verbs.push(match random.below(4) {
            0 => Verb::CancelMemberAt(1 + random.below(10), 1 + random.below(MEMBERS)),
            _ => Verb::CancelAt(1 + random.below(10)),
        });
    }
    let additions = random.below(3);
    verbs.extend((0..additions).map(|_| Verb::AddFromOutsideAt(1 + random.below(12))));
    verbs
}

/// Shows an outcome, and the errors of a group in brackets.
fn shown(outcome: &Result<usize>) -> String {
    match outcome {
        Ok(value) => format!("Ok({value})"),
        Err(error) => shown_error(error),
    }
}

fn shown_error(error: &Error) -> String {
    match ExceptionGroup::of(error) {
        None => error.to_string(),
        Some(group) => {
            let errors: Vec<String> = group.exceptions().iter().map(shown_error).collect();
            format!("[{}]", errors.join(", "))
        }
    }
}

/// The members, by their numbers, the group in which all others are, and the tick.
#[derive(Default)]
struct Stage {
    members: RefCell<BTreeMap<usize, AnyTask>>,
    group: RefCell<Option<TaskGroup>>,
    tick: Cell<usize>,
    /// The task that runs the group.
    parent: RefCell<Option<AnyTask>>,
}

/// Runs a group with the verbs' members. Behind `Inner`, the others are members of another group,
/// which runs in the block of this one.
async fn run_group(t: Transcript, verbs: Vec<Verb>, life: Life, stage: Rc<Stage>) -> Result<usize> {
    let group = TaskGroup::new();
    stage.group.borrow_mut().get_or_insert_with(|| group.clone());
    let block = async {
        for (index, verb) in verbs.iter().enumerate() {
            let (number, task) = match *verb {
                Verb::Member(number, life) => {
                    (number, group.create_task(life.live(t, number, Rc::clone(&stage)))?)
                }
                Verb::Adds(number, life) => {
                    let adding = add_one(t, group.clone(), number, life, Rc::clone(&stage));
                    (number, group.create_task(adding)?)
                }
                Verb::Inner => {
                    let rest = verbs[index + 1..].to_vec();
                    let inner = run_group(t, rest, life, Rc::clone(&stage));
                    let boxed: Pin<Box<dyn Coroutine<Output = _>>> = Box::pin(inner);
                    let outcome = boxed.await;
                    say_end(t, "the inner group", &outcome, &stage);
                    return outcome;
                }
                _ => continue,
            };
            stage.members.borrow_mut().insert(number, task.any());
        }
        life.live(t, 0, Rc::clone(&stage)).await
    };
    group.run(block).await
}

async fn add_one(
    t: Transcript,
    group: TaskGroup,
    number: usize,
    life: Life,
    stage: Rc<Stage>,
) -> Result<usize> {
    let outcome = life.live(t, number, stage).await;
    let added = group.create_task(ticks(3));
    say!(t, "    member {number} creates a task: {:?}", added.map(|_| ()));
    outcome
}

fn say_end(t: Transcript, name: &str, outcome: &Result<usize>, stage: &Stage) {
    let requests = current_task().map_or(0, |task| task.cancelling());
    let (tick, outcome) = (stage.tick.get(), shown(outcome));
    say!(t, "  tick {tick}: {name} has ended: {outcome}; requests left: {requests}");
}

/// Awaits a coroutine and says if it was polled too often.
async fn counted<T>(t: Transcript, coroutine: impl Coroutine<Output = T>) -> T {
    let (mut coroutine, polls) = (pin!(coroutine), Cell::new(0));
    let outcome = poll_fn(|context| {
        polls.set(polls.get() + 1);
        coroutine.as_mut().poll(context)
    });
    let outcome = outcome.await;
    if polls.get() > MANY_POLLS {
        say!(t, "  the group was polled too often");
    }
    outcome
}

async fn conduct(t: Transcript, verbs: Vec<Verb>) -> Result<()> {
    let stage = Rc::<Stage>::default();
    let life = verbs.iter().find_map(|verb| match verb {
        Verb::Block(life) => Some(*life),
        _ => None,
    });
    let life = life.unwrap_or(Life { ticks: 0, how: How::Value, if_cancelled: IfCancelled::Ends });
    let (in_the_group, all) = (verbs.clone(), Rc::clone(&stage));
    let task = create_task(async move {
        let outcome = counted(t, run_group(t, in_the_group, life, Rc::clone(&all))).await;
        say_end(t, "the group", &outcome, &all);
        let running = all.members.borrow().values().filter(|task| !task.done()).count();
        say!(t, "  members still running: {running}");
        let next = yield_now().await;
        say!(t, "  the task's next wait: {next:?}");
        Ok(())
    })?;
    stage.parent.replace(Some(task.any()));
    for tick in 1..=LAST_TICK {
        stage.tick.set(tick);
        for verb in &verbs {
            match *verb {
                Verb::CancelAt(at) if at == tick => {
                    let cancelled = task.cancel_with(&format!("in tick {tick}"));
                    say!(t, "  tick {tick}: cancel the task: {cancelled}");
                }
                Verb::AddFromOutsideAt(at) if at == tick => {
                    let added = stage
                        .group
                        .borrow()
                        .as_ref()
                        .map(|group| group.create_task(ticks(2)).map(|_| ()));
                    say!(t, "  tick {tick}: create a task from outside: {added:?}");
                }
                Verb::CancelMemberAt(at, number) if at == tick => {
                    let member = stage.members.borrow().get(&number).cloned();
                    let cancelled = member.map(|member| member.cancel());
                    say!(t, "  tick {tick}: cancel member {number}: {cancelled:?}");
                }
                _ => {}
            }
        }
        yield_now().await?;
    }
    say!(t, "the group's task is done: {}", task.done());
    stage.parent.take();
    Ok(())
}

trial!(
    groups_that_end,
    151,
    "A task group ends once its last member has ended, and it returns all errors."
);
fn groups_that_end(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let verbs = match program.number() {
        150 => many_cancellations(),
        _ => random_verbs(&mut program.random()),
    };
    let verbs = program.verbs(verbs);
    for verb in &verbs {
        say!(t, "{verb}");
    }
    let event_loop = reporting_loop(t)?;
    event_loop.run_until_complete(conduct(t, verbs))?;
    event_loop.close()?;
    Ok(())
}
