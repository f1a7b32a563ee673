//! All orders in which a sender can push and wake while a loop drains and takes, under each of the
//! four rules that a reader might write. Each order is carried out on a real self-pipe.

use std::time::Duration;

use anyhow::{Result, ensure};
use step02_epoll::{Epoll, Events, Interest, Trigger};
use step05_selfpipe::SelfPipe;

use super::timeline::{self, Deed};
use super::{Answer, Figure, Run, Set, State, counted, every_order};

const ACTORS: [&str; 2] = ["a sender", "the loop"];
const SENDER: usize = 0;
const LOOP: usize = 1;

/// The order in which the sender and the loop each perform their two actions.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rules {
    pushes_first: bool,
    drains_first: bool,
}

const RULES: [Rules; 4] = [
    Rules { pushes_first: true, drains_first: false },
    Rules { pushes_first: true, drains_first: true },
    Rules { pushes_first: false, drains_first: true },
    Rules { pushes_first: false, drains_first: false },
];

pub(super) fn figure() -> Result<Figure> {
    let mut sets = Vec::new();
    for rules in RULES {
        let mut runs = Vec::new();
        for order in every_order(|order| Ok(World::after(rules, order)?.able()))? {
            runs.push(World::after(rules, &order)?.into_run());
        }
        sets.push(Set { name: rules.to_string(), runs });
    }
    let run = sets[0].runs.iter().position(|run| run.is_bad).unwrap_or_default();
    let state = sets[0].runs[run].states.len() - 1;
    Ok(Figure {
        name: "orders",
        title: "A sender and a loop, in every order",
        question:
            "in which order, take then drain or drain then take, does the loop lose that value?"
                .to_owned(),
        answers: answers(),
        explains: explained(&sets),
        choices: ["Rules", "Orders"],
        still: [0, run, state],
        sets,
    })
}

/// Returns the answers. The question is about a sender that pushes first, so the first two rules
/// decide which answer is right.
fn answers() -> Vec<Answer> {
    vec![
        Answer::right("take, then drain"),
        Answer::wrong(
            "drain, then take",
            "then the value that arrives in between is taken, and its byte only wakes the loop once more.",
        ),
        Answer::wrong(
            "in both",
            "draining first leaves either the byte in the pipe or the value to the take.",
        ),
        Answer::wrong(
            "in neither",
            "a take that comes first finds nothing, and then the drain removes the byte of a value that came in between.",
        ),
    ]
}

fn explained(sets: &[Set]) -> String {
    format!(
        "{}\nThe sender and the loop need opposite orders: the sender pushes the data and then writes the \
         byte, while the loop removes the byte and then takes the data.",
        counted(sets, "lose the value")
    )
}

impl std::fmt::Display for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sender = if self.pushes_first { "push, then wake" } else { "wake, then push" };
        let its_loop = if self.drains_first { "drain, then take" } else { "take, then drain" };
        write!(f, "{sender}; {its_loop}")
    }
}

/// A sender and a loop. An earlier byte has woken the loop, which is about to perform its two
/// actions.
struct World {
    rules: Rules,
    pipe: SelfPipe,
    epoll: Epoll,
    /// The numbers of bytes in the pipe and of values in the queue.
    bytes: usize,
    queue: usize,
    has_taken: bool,
    /// The number of actions that the sender has performed, and the number that the loop has
    /// performed since its last wait.
    sender_did: usize,
    loop_did: usize,
    is_asleep: bool,
    deeds: Vec<Deed>,
    states: Vec<(String, [usize; 2])>,
}

impl World {
    fn after(rules: Rules, order: &[usize]) -> Result<World> {
        let (pipe, epoll) = (SelfPipe::new()?, Epoll::new()?);
        epoll.add(&pipe, 0, Interest::READABLE, Trigger::Level)?;
        pipe.waker().wake();
        let mut world = World {
            rules,
            pipe,
            epoll,
            bytes: 1,
            queue: 0,
            has_taken: false,
            sender_did: 0,
            loop_did: 0,
            is_asleep: false,
            deeds: Vec::new(),
            states: vec![(
                "An earlier byte has woken the loop, and a sender has a value.".to_owned(),
                [1, 0],
            )],
        };
        for who in order {
            match *who {
                SENDER => world.sender_acts(),
                _ => world.loop_acts()?,
            }
        }
        Ok(world)
    }

    /// Returns the actors that can act: the sender, the loop, both, or neither. The sender can act
    /// until it has pushed and written, and the loop can act while it's awake. A sleeping loop
    /// wakes when there's a byte in the pipe.
    fn able(&self) -> Vec<usize> {
        let sender = (self.sender_did < 2).then_some(SENDER);
        sender.into_iter().chain((!self.is_asleep).then_some(LOOP)).collect()
    }

    fn sender_acts(&mut self) {
        let pushes = (self.sender_did == 0) == self.rules.pushes_first;
        self.sender_did += 1;
        if pushes {
            self.queue += 1;
            self.note(
                SENDER,
                "push",
                "push: the value",
                "The sender pushes its value into the queue.",
            );
        } else {
            self.pipe.waker().wake();
            self.bytes += 1;
            let wakes = if self.is_asleep { " It wakes the loop." } else { "" };
            self.is_asleep = false;
            self.note(
                SENDER,
                "wake",
                "wake: a byte",
                &format!("The sender writes its byte.{wakes}"),
            );
        }
    }

    /// Carries out one of the loop's two actions. The wait after the second action isn't a separate
    /// action, because it makes no difference whether the sender acts before, during or after the
    /// wait: a byte in the pipe stays there.
    fn loop_acts(&mut self) -> Result<()> {
        let drains = (self.loop_did == 0) == self.rules.drains_first;
        self.loop_did += 1;
        if drains {
            let drained = self.pipe.drain()?;
            ensure!(drained == self.bytes, "the pipe had {drained} bytes, not {}", self.bytes);
            self.bytes = 0;
            let what = ["nothing there", "a byte", "two bytes"][drained.min(2)];
            let says = format!("The loop drains its pipe: {what}.");
            self.note(LOOP, "drain", &format!("drain: {what}"), &says);
        } else if self.queue > 0 {
            (self.queue, self.has_taken) = (0, true);
            self.note(LOOP, "take", "take: the value", "The loop takes the value.");
        } else {
            self.note(
                LOOP,
                "take",
                "take: nothing there",
                "The loop takes what's in the queue: nothing.",
            );
        }
        if self.loop_did == 2 {
            self.loop_did = 0;
            let mut events = Events::with_capacity(1);
            self.epoll.wait(&mut events, Some(Duration::ZERO))?;
            self.is_asleep = events.is_empty();
            ensure!(
                self.is_asleep == (self.bytes == 0),
                "the wait doesn't see {} bytes",
                self.bytes
            );
            if self.is_asleep {
                self.note(
                    LOOP,
                    "wait",
                    "wait: asleep",
                    "There's no byte in the pipe, so the loop goes to sleep.",
                );
            } else {
                let says = "There's a byte in the pipe, so the loop stays awake and looks again.";
                self.note(LOOP, "wait", "wait: awake", says);
            }
        }
        Ok(())
    }

    fn note(&mut self, column: usize, name: &str, done: &str, says: &str) {
        let (name, done) = (name.to_owned(), done.to_owned());
        self.deeds.push(Deed { column, name, done, is_bad: false });
        self.states.push((says.to_owned(), [self.bytes, self.queue]));
    }

    fn into_run(mut self) -> Run {
        // Neither the sender nor the loop can act any more. The loop is asleep, and any value in
        // its queue stays there.
        let is_lost = self.queue > 0;
        if is_lost {
            let says = "The loop sleeps, the value is in its queue, and no byte is on its way: a lost \
                        wake-up.";
            match self.deeds.last_mut().zip(self.states.last_mut()) {
                Some((last, state)) if last.name == "wait" => {
                    (last.is_bad, state.0) = (true, says.to_owned());
                }
                _ => {
                    self.note(LOOP, "wait", "wait: asleep", says);
                    self.deeds.iter_mut().rev().take(1).for_each(|last| last.is_bad = true);
                }
            }
        } else if let Some((says, _)) = self.states.last_mut() {
            *says += " The value has been taken.";
        }
        let actions =
            self.deeds.iter().map(|deed| deed.name.as_str()).filter(|name| *name != "wait");
        let name = actions.collect::<Vec<&str>>().join(", ");
        let last = self.states.len() - 1;
        let states = self.states.iter().enumerate().map(|(done, (says, [bytes, queue]))| {
            let pipe = ["empty", "a byte", "two bytes"][(*bytes).min(2)].to_owned();
            let queue = ["empty", "the value"][(*queue).min(1)].to_owned();
            let shared = [("pipe", pipe, false), ("queue", queue, is_lost && done == last)];
            State {
                says: says.clone(),
                shapes: timeline::drawn(ACTORS, &shared, &self.deeds, done),
            }
        });
        Run { name, is_bad: is_lost, states: states.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure_and_losses() -> (Figure, Vec<[usize; 2]>) {
        let figure = figure().expect("a figure");
        let losses = figure.sets.iter().map(|set| [set.runs.len(), set.lost()]).collect();
        (figure, losses)
    }

    #[test]
    fn a_value_is_lost_unless_the_push_comes_before_the_wake_and_the_drain_before_the_take() {
        let (_, losses) = figure_and_losses();
        for (rules, [all, lost]) in RULES.into_iter().zip(losses) {
            let is_right = rules.pushes_first && rules.drains_first;
            assert_eq!(lost == 0, is_right, "{rules}: {lost} of {all}");
        }
    }

    /// The orders in this test are written by hand. Under the right rules, they're all the ways to
    /// interleave the sender's actions with the loop's.
    #[test]
    fn no_order_is_left_out() {
        let (figure, losses) = figure_and_losses();
        let mut names: Vec<&str> =
            figure.sets[1].runs.iter().map(|run| run.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "drain, push, take, wake, drain, take",
                "drain, push, wake, take, drain, take",
                "drain, take, push, wake, drain, take",
                "push, drain, take, wake, drain, take",
                "push, drain, wake, take, drain, take",
                "push, wake, drain, take",
            ]
        );
        assert_eq!(losses, [[6, 1], [6, 0], [10, 3], [8, 6]]);
    }

    #[test]
    fn a_byte_wakes_the_loop_exactly_if_it_sleeps() {
        let (figure, _) = figure_and_losses();
        for run in figure.sets.iter().flat_map(|set| &set.runs) {
            let mut is_asleep = false;
            for State { says, .. } in &run.states {
                if says.contains("writes its byte") {
                    assert_eq!(
                        says.contains("It wakes the loop"),
                        is_asleep,
                        "{}: {says}",
                        run.name
                    );
                    is_asleep = false;
                }
                is_asleep |= says.contains("goes to sleep");
            }
        }
    }

    #[test]
    fn the_value_is_lost_if_it_comes_between_a_take_and_a_drain() {
        let (figure, _) = figure_and_losses();
        let losing: Vec<&Run> = figure.sets[0].runs.iter().filter(|run| run.is_bad).collect();
        assert_eq!(losing.len(), 1);
        assert_eq!(losing[0].name, "take, push, wake, drain");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, "take, then drain");
        let last = losing[0].states.last().expect("states");
        assert!(last.says.contains("a lost wake-up"), "{}", last.says);
        assert_eq!(figure.still[2] + 1, losing[0].states.len(), "the still shows the loss");
    }
}
