//! A wake from another thread, in every order in which the thread's actions can interleave with the
//! loop's. The wake uses two flags. There are three cases: both flags are reset in time, as in step
//! 06, or one of the two flags is reset only after the task's step. A test carries out the first
//! case on a real queue.

use anyhow::Result;

use super::timeline::{self, Deed};
use super::{Answer, Figure, Run, Set, State, counted, every_order};

const ACTORS: [&str; 2] = ["a thread", "the loop"];
const THREAD: usize = 0;
const LOOP: usize = 1;

/// The flag that's reset only after the task's step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Late {
    Neither,
    IsSent,
    Queued,
}

const RULES: [(&str, Late); 3] = [
    ("both are reset in time", Late::Neither),
    ("is_sent is reset after the step", Late::IsSent),
    ("queued is reset after the step", Late::Queued),
];

/// The loop's next action.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    /// Takes the messages from the inbox, or sleeps if the inbox is empty.
    Take,
    /// Begins the task's step, which checks for the result.
    Poll,
    /// Schedules a callback from the task's step. The call first takes the messages from the inbox,
    /// so that all callbacks are in a single order.
    CallSoon,
    /// Ends the task's step.
    Return { found: bool },
}

pub(super) fn figure() -> Result<Figure> {
    let mut sets = Vec::new();
    for (name, late) in RULES {
        let orders = every_order(|order| Ok(World::after(late, order).able()))?;
        let runs = orders.iter().map(|order| World::after(late, order).into_run());
        sets.push(Set { name: name.to_owned(), runs: runs.collect() });
    }
    let run = sets[2].runs.iter().position(|run| run.is_bad).unwrap_or_default();
    let state = sets[2].runs[run].states.len() - 1;
    Ok(Figure {
        name: "flags",
        title: "A wake, its two flags, and a step that's running",
        question: "suppose you reset one of the two flags only when the step has ended. Is there one with which \
                   no wake from another thread would ever be lost?"
            .to_owned(),
        answers: answers(),
        explains: format!(
            "An order is one way in which the actions of the thread and the loop can follow each other.\n\n{}\nA wake \
             is lost as in step 05, with a flag in place of the byte.",
            counted(&sets, "lose the wake")
        ),
        choices: ["Rules", "Orders"],
        still: [2, run, state],
        sets,
    })
}

fn answers() -> Vec<Answer> {
    let of_is_sent = "a wake during the poll finds is_sent set and sends nothing, although the poll may have looked \
                      for the result already.";
    let of_queued = "a step that schedules something takes the inbox first, and the wake in it is dropped, because \
                     the task seems to be queued.";
    vec![
        Answer::right("no, neither"),
        Answer::wrong("yes, is_sent", of_is_sent),
        Answer::wrong("yes, queued", of_queued),
        Answer::wrong("yes, either", of_is_sent),
    ]
}

/// The state shared by both threads.
#[derive(Debug, Clone, Copy)]
struct Shared {
    /// The number of messages in the inbox.
    messages: usize,
    is_sent: bool,
    queued: bool,
    has_result: bool,
}

/// A thread that delivers a result and wakes a task, and a loop whose inbox contains the message of
/// an earlier wake of the same task.
struct World {
    late: Late,
    shared: Shared,
    thread_did: usize,
    next: Next,
    has_ended: bool,
    deeds: Vec<Deed>,
    states: Vec<(String, Shared)>,
}

impl World {
    fn after(late: Late, order: &[usize]) -> World {
        let shared = Shared { messages: 1, is_sent: true, queued: false, has_result: false };
        let says =
            "The message of an earlier wake is in the inbox, and another thread has a result.";
        let mut world = World {
            late,
            shared,
            thread_did: 0,
            next: Next::Take,
            has_ended: false,
            deeds: Vec::new(),
            states: vec![(says.to_owned(), shared)],
        };
        for who in order {
            if *who == THREAD { world.thread_acts() } else { world.loop_acts() }
        }
        world
    }

    /// Returns the actors that can act: the thread, the loop, both, or neither. The loop can't act
    /// if it's about to take messages from an empty inbox, or if the task has ended.
    fn able(&self) -> Vec<usize> {
        let thread = (self.thread_did < 2).then_some(THREAD);
        let is_awake = !self.has_ended && (self.next != Next::Take || self.shared.messages > 0);
        thread.into_iter().chain(is_awake.then_some(LOOP)).collect()
    }

    fn thread_acts(&mut self) {
        self.thread_did += 1;
        if self.thread_did == 1 {
            self.shared.has_result = true;
            self.note(THREAD, "result", "writes the result", "The thread writes its result.");
        } else if self.shared.is_sent {
            let says = "The thread wakes the task. Because is_sent is set, it expects a message to be on its way and sends nothing.";
            self.note(THREAD, "wake", "wake: sends nothing", says);
        } else {
            self.shared.is_sent = true;
            self.shared.messages += 1;
            let says = "The thread wakes the task: it sets is_sent and sends a message.";
            self.note(THREAD, "wake", "wake: sends", says);
        }
    }

    fn loop_acts(&mut self) {
        match self.next {
            Next::Take => {
                let is_new = self.takes_message();
                let says = if is_new {
                    "The loop takes the message and queues a step of the task."
                } else {
                    "The loop takes the message. The task seems to be queued, so the loop queues no step."
                };
                self.note(
                    LOOP,
                    "take",
                    if is_new { "take: queues a step" } else { "take: drops the wake" },
                    says,
                );
                self.next = if self.shared.queued { Next::Poll } else { Next::Take };
            }
            Next::Poll => {
                if self.late != Late::Queued {
                    self.shared.queued = false;
                }
                let found = self.shared.has_result;
                let (done, what) = if found {
                    ("poll: the result", "the result is there.")
                } else {
                    ("poll: no result yet", "there's no result yet.")
                };
                self.note(
                    LOOP,
                    "poll",
                    done,
                    &format!("The step begins, and the task looks: {what}"),
                );
                self.next = if found { Next::Return { found } } else { Next::CallSoon };
            }
            Next::CallSoon => {
                let had_message = self.shared.messages > 0;
                let is_new = had_message && self.takes_message();
                let (done, says) = match (had_message, is_new) {
                    (false, _) => ("call_soon", "The step schedules a callback."),
                    (true, true) => (
                        "call_soon: a step",
                        "The step schedules a callback, which takes the inbox first: the message queues another step.",
                    ),
                    (true, false) => (
                        "call_soon: no step",
                        "The step schedules a callback, which takes the inbox first. The task seems to be queued, so the message queues no step.",
                    ),
                };
                self.note(LOOP, "call_soon", done, says);
                self.next = Next::Return { found: false };
            }
            Next::Return { found } => {
                match self.late {
                    Late::Neither => {}
                    Late::IsSent => self.shared.is_sent = self.shared.messages > 0,
                    Late::Queued => self.shared.queued = false,
                }
                self.has_ended = found;
                let (done, says) = if found {
                    ("return: Ready", "The step ends, and the task has its result.")
                } else {
                    ("return: Pending", "The step ends, and the task waits.")
                };
                self.note(LOOP, "return", done, says);
                // A round empties the inbox before it runs the queued steps.
                let can_poll = self.shared.queued && self.shared.messages == 0;
                self.next = if can_poll { Next::Poll } else { Next::Take };
            }
        }
    }

    /// Takes the message from the inbox. Returns true if the message queues a step.
    fn takes_message(&mut self) -> bool {
        self.shared.messages = 0;
        if self.late != Late::IsSent {
            self.shared.is_sent = false;
        }
        !std::mem::replace(&mut self.shared.queued, true)
    }

    fn note(&mut self, column: usize, name: &str, done: &str, says: &str) {
        let (name, done) = (name.to_owned(), done.to_owned());
        self.deeds.push(Deed { column, name, done, is_bad: false });
        self.states.push((says.to_owned(), self.shared));
    }

    fn into_run(mut self) -> Run {
        let is_lost = !self.has_ended;
        if is_lost {
            let says = "The loop sleeps although the result is there, and no message is on its way: a lost wake-up.";
            self.note(LOOP, "wait", "wait: asleep", says);
            self.deeds.iter_mut().rev().take(1).for_each(|last| last.is_bad = true);
        }
        let names: Vec<&str> = self.deeds.iter().map(|deed| deed.name.as_str()).collect();
        let name = names.join(", ");
        let last = self.states.len() - 1;
        let states = self.states.iter().enumerate().map(|(done, (says, shared))| {
            let is_wrong = is_lost && done == last;
            let chips = [
                ("is_sent", shared.is_sent.to_string(), false),
                (
                    "inbox",
                    if shared.messages > 0 { "a message" } else { "empty" }.to_owned(),
                    false,
                ),
                ("queued", shared.queued.to_string(), false),
                ("result", if shared.has_result { "there" } else { "none" }.to_owned(), is_wrong),
            ];
            State { says: says.clone(), shapes: timeline::drawn(ACTORS, &chips, &self.deeds, done) }
        });
        Run { name, is_bad: is_lost, states: states.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::collections::VecDeque;
    use std::future::poll_fn;
    use std::rc::Rc;
    use std::task::{Poll, Waker};
    use std::thread;

    use step06_tasks::{Drain, ReadyQueue};

    use super::*;

    #[test]
    fn a_wake_is_lost_exactly_if_a_flag_is_reset_late() {
        let figure = figure().expect("a figure");
        let losses: Vec<usize> = figure.sets.iter().map(Set::lost).collect();
        assert_eq!(losses[0], 0);
        assert!(losses[1] > 0 && losses[2] > 0, "{losses:?}");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, "no, neither");
    }

    #[test]
    fn a_lost_wake_came_after_the_look_and_before_the_end_of_the_step() {
        for set in &figure().expect("a figure").sets[1..] {
            for run in set.runs.iter().filter(|run| run.is_bad) {
                let at = |name: &str| run.name.split(", ").position(|it| it == name).expect(name);
                assert!(at("poll") < at("wake") && at("wake") < at("return"), "{}", run.name);
            }
        }
    }

    /// The rest of an order, the task's waker, and whether there's a result.
    #[derive(Default)]
    struct Real {
        left: RefCell<VecDeque<String>>,
        waker: RefCell<Option<Waker>>,
        has_result: Cell<bool>,
    }

    impl Real {
        /// Carries out the other thread's next actions and returns the loop's next action.
        fn next_of_the_loop(&self) -> Option<String> {
            loop {
                let next = self.left.borrow_mut().pop_front()?;
                match next.as_str() {
                    "result" => self.has_result.set(true),
                    "wake" => self.wake_from_a_thread(),
                    _ => return Some(next),
                }
            }
        }

        fn wake_from_a_thread(&self) {
            let waker = self.waker.borrow().clone().expect("the task has been polled");
            thread::spawn(move || waker.wake()).join().expect("the thread ends");
        }
    }

    /// Carries out an order on a real queue. Returns the actions that are left when the queue has
    /// nothing more to do, and whether the task has ended.
    fn carried_out(order: &str) -> (Vec<String>, bool) {
        let queue = ReadyQueue::new().expect("a queue");
        let real = Rc::new(Real::default());
        let task = queue.create_task({
            let (queue, real) = (queue.clone(), Rc::clone(&real));
            poll_fn(move |context| {
                if real.waker.replace(Some(context.waker().clone())).is_none() {
                    return Poll::Pending;
                }
                let found = real.has_result.get();
                while let Some(next) = real.next_of_the_loop() {
                    if next == "return" {
                        break;
                    }
                    assert_eq!(next, "call_soon");
                    queue.call_soon(|| {});
                }
                if found { Poll::Ready(step06_tasks::Result::Ok(())) } else { Poll::Pending }
            })
        });
        queue.run_ready();
        real.wake_from_a_thread();
        real.left.borrow_mut().extend(order.split(", ").map(str::to_owned));
        while let Some(next) = real.next_of_the_loop() {
            match next.as_str() {
                "take" => queue.take_remote(Drain::Pipe).expect("a drain"),
                "poll" => {
                    let before = real.left.borrow().len();
                    queue.run_ready();
                    if real.left.borrow().len() == before {
                        break;
                    }
                }
                other => panic!("{other} isn't what the loop does here, in {order}"),
            }
        }
        let left = real.left.borrow().iter().cloned().collect();
        (left, task.done())
    }

    #[test]
    fn the_real_queue_goes_through_each_order_as_the_figure_shows_it() {
        let figure = figure().expect("a figure");
        // In seven orders, the result is sent before the poll, and in the other six orders, the
        // result is sent later.
        assert_eq!(figure.sets[0].runs.len(), 13);
        for run in &figure.sets[0].runs {
            assert_eq!(carried_out(&run.name), (Vec::new(), !run.is_bad), "{}", run.name);
        }
    }
}
