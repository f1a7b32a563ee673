//! Trials of queues: tasks put and get and are cancelled, or lose their wait, at any moment.

use std::fmt;
use std::rc::Rc;

use asyncio::Queue;
use scene::{Program, Random, Transcript, say, trial};

use super::lines::{
    Leaves, Line, Wait, left_once_woken, once_woken, poll_elsewhere, poll_outside, to_clean_up,
};

/// An event that affects a queue. Each item is a number, and a task that puts an item puts its own
/// number.
#[derive(Debug, Clone, Copy)]
enum Act {
    Get(usize),
    Put(usize),
    /// Gets as soon as something wakes its task, before the task hears of a cancellation.
    GetOnceWoken(usize),
    /// Gets after its task has heard that it's cancelled.
    GetToCleanUp(usize),
    /// Gets, and once it's woken, ends its own wait.
    GetAndLeave(usize, Leaves),
    GetNowait,
    PutNowait(usize),
    /// Gets where no loop runs.
    GetOutside,
    PutOutside(usize),
    GetInAnotherLoop,
    ShutDown,
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
    /// Makes one or two verbs: what wakes a task is often followed by the end of a wait. In half of
    /// the programs tasks mostly wait for items, and in the others for room.
    fn random(
        number: usize,
        for_items: bool,
        tasks: &mut Vec<usize>,
        random: &mut Random,
    ) -> Vec<Verb> {
        let (usual, other, wakes) = if for_items {
            (Act::Get(number), Act::Put(number), Act::PutNowait(number))
        } else {
            (Act::Put(number), Act::Get(number), Act::GetNowait)
        };
        let act = match random.below(40) {
            0..13 => usual,
            13..15 => other,
            15..23 => wakes,
            23 => random.choose(&[Act::GetNowait, Act::PutNowait(number)]),
            24..27 => Verb::ending(tasks, random),
            27 => random.choose(&[Act::GetOutside, Act::PutOutside(number)]),
            28 => random.choose(&[Act::GetInAnotherLoop, Act::ShutDown, Act::Tick]),
            _ => Act::Tick,
        };
        if let Act::Get(_) | Act::Put(_) = act {
            tasks.push(number);
        }
        let is_soon =
            |act| matches!(act, Act::GetNowait | Act::PutNowait(_) | Act::Cancel(_) | Act::Drop(_));
        let mut verbs = vec![Verb { act, soon: is_soon(act) && random.once_in(3) }];
        if matches!(act, Act::GetNowait | Act::PutNowait(_)) && random.once_in(2) {
            let act = Verb::ending(tasks, random);
            verbs.push(Verb { act, soon: is_soon(act) && random.once_in(3) });
        }
        verbs
    }

    /// Makes the verbs of a task that waits again and again, because others are faster. In the end
    /// its item or its room is there, but its wait is cancelled or dropped all the same, while
    /// other tasks wait behind it.
    fn of_one_that_waits_again(for_items: bool, maxsize: usize, random: &mut Random) -> Vec<Verb> {
        let (waits, wakes, is_faster): (fn(usize) -> Act, _, _) = if for_items {
            (Act::Get, Act::PutNowait(60), Act::GetNowait)
        } else {
            (Act::Put, Act::GetNowait, Act::PutNowait(60))
        };
        let first = 50;
        let mut acts = if for_items { vec![] } else { vec![Act::PutNowait(61); maxsize] };
        acts.extend([waits(first), Act::Tick]);
        for _ in 0..random.below(3) {
            acts.extend([wakes, is_faster, Act::Tick]);
        }
        let behind = 1 + random.below(2);
        acts.extend((1..=behind).map(|other| waits(first + other)));
        acts.push(Act::Tick);
        acts.extend(vec![wakes; behind]);
        acts.extend([random.choose(&[Act::Cancel(first), Act::Drop(first)]), Act::Tick]);
        acts.into_iter().map(|act| Verb { act, soon: false }).collect()
    }

    /// Ends the wait of one of the latest tasks, because earlier tasks are probably done.
    fn ending(tasks: &[usize], random: &mut Random) -> Act {
        match &tasks[tasks.len().saturating_sub(4)..] {
            [] => Act::Tick,
            latest => {
                let task = random.choose(latest);
                random.choose(&[Act::Cancel(task), Act::Drop(task)])
            }
        }
    }
}

/// The programs behind the random ones: a task that's being cancelled finds an item or waits for
/// one, or a task that's woken ends its wait itself.
fn given_verbs(variant: u32) -> Option<Vec<Verb>> {
    let (item, first, next) = (Act::PutNowait(61), 50, Act::Get(51));
    let acts = match variant {
        0 => vec![item, Act::GetOnceWoken(first), Act::Tick, Act::Cancel(first)],
        1 => vec![item, Act::GetToCleanUp(first), Act::Tick],
        2 => vec![Act::GetToCleanUp(first), Act::Tick, Act::Tick, item],
        3 => vec![Act::GetAndLeave(first, Leaves::Drops), next, Act::Tick, item, Act::Tick],
        4 => vec![Act::GetAndLeave(first, Leaves::Panics), next, Act::Tick, item, Act::Tick],
        // One of two woken tasks gives up, so one more is woken, and the last keeps its place.
        5 => {
            let behind = [51, 52, 53, 54].map(Act::Get);
            let wakes = [item, item, Act::Cancel(first), Act::Tick];
            let last = [Act::Tick, item, Act::Tick];
            [&[Act::Get(first)][..], &behind, &[Act::Tick], &wakes, &last].concat()
        }
        _ => return None,
    };
    Some(acts.into_iter().chain([Act::Tick]).map(|act| Verb { act, soon: false }).collect())
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Get(task) => write!(f, "task {task} will call get()"),
            Act::Put(task) => write!(f, "task {task} will call put()"),
            Act::GetOnceWoken(task) => write!(f, "task {task} will call get() once it's woken"),
            Act::GetToCleanUp(task) => {
                write!(f, "task {task} will be cancelled and then call get()")
            }
            Act::GetAndLeave(task, Leaves::Drops) => {
                write!(f, "task {task} will call get() and drop the wait once it's woken")
            }
            Act::GetAndLeave(task, Leaves::Panics) => {
                write!(f, "task {task} will call get() and panic once it's woken")
            }
            Act::GetNowait => f.write_str("get_nowait()"),
            Act::PutNowait(item) => write!(f, "put_nowait({item})"),
            Act::GetOutside => f.write_str("get(), outside a loop"),
            Act::PutOutside(item) => write!(f, "put({item}), outside a loop"),
            Act::GetInAnotherLoop => f.write_str("get(), in another loop"),
            Act::ShutDown => f.write_str("shutdown(false)"),
            Act::Cancel(task) => write!(f, "task {task}: cancel()"),
            Act::Drop(task) => write!(f, "task {task}: its wait is dropped"),
            Act::Tick => f.write_str("one tick"),
        }
    }
}

trial!(
    queues_of_many_tasks,
    206,
    "No matter how waits end, tasks are woken for items and room in the order in which they began to wait."
);
fn queues_of_many_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let for_items = program.number().is_multiple_of(2);
    let given = program.number().checked_sub(200).and_then(given_verbs);
    let maxsize = match for_items {
        _ if given.is_some() => 0,
        true => random.below(3),
        false => 1 + random.below(2),
    };
    let verbs = given.unwrap_or_else(|| random_verbs(for_items, maxsize, &mut random));
    let verbs = program.verbs(verbs);
    say!(t, "Queue::new({maxsize})");
    let (line, queue) = (Line::new(t)?, Rc::new(Queue::new(maxsize)));
    for Verb { act, soon } in verbs {
        perform(act, soon, &line, &queue, t)?;
    }
    // Each task that still waits gets an item or room now, unless one that came is lost.
    for number in 0..line.waiting().len() {
        let act = if queue.empty() { Act::PutNowait(100 + number) } else { Act::GetNowait };
        for act in [Act::Tick, act] {
            perform(act, false, &line, &queue, t)?;
        }
    }
    perform(Act::Tick, false, &line, &queue, t)?;
    say!(t, "still waiting: {:?}", line.waiting());
    line.close()?;
    Ok(())
}

fn random_verbs(for_items: bool, maxsize: usize, random: &mut Random) -> Vec<Verb> {
    let mut verbs = Vec::new();
    if random.once_in(5) {
        verbs = Verb::of_one_that_waits_again(for_items, maxsize, random);
    }
    let mut tasks = Vec::new();
    for number in 0..26 {
        verbs.extend(Verb::random(number, for_items, &mut tasks, random));
    }
    verbs
}

fn perform(
    act: Act,
    soon: bool,
    line: &Rc<Line>,
    queue: &Rc<Queue<usize>>,
    t: Transcript,
) -> anyhow::Result<()> {
    let did = match act {
        Act::Tick => {
            line.tick()?;
            say!(t, "  in the queue: {}", queue.qsize());
            return Ok(());
        }
        Act::Get(number) => {
            line.begin(number, "get()", get(queue));
            return Ok(());
        }
        Act::Put(number) => {
            line.begin(number, "put()", put(queue, number));
            return Ok(());
        }
        Act::GetOnceWoken(number) => {
            line.begin(number, "get(), once it's woken", once_woken(get(queue)));
            return Ok(());
        }
        Act::GetToCleanUp(number) => {
            line.begin(number, "get(), after it was cancelled", to_clean_up(get(queue)));
            return Ok(());
        }
        Act::GetAndLeave(number, leaves) => {
            line.begin(number, "get()", left_once_woken(get(queue), leaves));
            return Ok(());
        }
        Act::GetOutside => poll_outside(get(queue)),
        Act::PutOutside(item) => poll_outside(put(queue, item)),
        Act::GetInAnotherLoop => poll_elsewhere(get(queue))?,
        _ => {
            let (in_line, queue) = (Rc::clone(line), Rc::clone(queue));
            line.perform(soon, move || {
                if let Some(did) = at_once(act, &in_line, &queue) {
                    say!(t, "  {act}: {did}; in the queue: {}", queue.qsize());
                }
            });
            return Ok(());
        }
    };
    say!(t, "  {act}: {did}; in the queue: {}", queue.qsize());
    Ok(())
}

fn at_once(act: Act, line: &Line, queue: &Queue<usize>) -> Option<String> {
    match act {
        Act::Cancel(number) => line.cancel(number),
        Act::Drop(number) => line.drop_wait(number),
        Act::GetNowait => Some(format!("{:?}", queue.get_nowait())),
        Act::PutNowait(item) => Some(format!("{:?}", queue.put_nowait(item))),
        Act::ShutDown => {
            queue.shutdown(false);
            Some("done".to_owned())
        }
        _ => None,
    }
}

fn get(queue: &Rc<Queue<usize>>) -> Wait {
    let queue = Rc::clone(queue);
    Box::pin(async move { Ok(format!("got {}", queue.get().await?)) })
}

fn put(queue: &Rc<Queue<usize>>, item: usize) -> Wait {
    let queue = Rc::clone(queue);
    Box::pin(async move {
        queue.put(item).await?;
        Ok(format!("has put {item}"))
    })
}
