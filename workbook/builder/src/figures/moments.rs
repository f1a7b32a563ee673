//! The moments at which a request to cancel can arrive. There's a run with one request for each
//! moment that the task can reach without another request, and a run with two requests for each
//! pair of moments that it can reach. The states are recorded from a real task, which cleans up
//! when it's cancelled.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use anyhow::Result;
use step06_tasks::{AnyTask, Future, ReadyQueue, current_task};

use super::timeline::{self, Deed, Shared};
use super::{Answer, Figure, Run, Set, State};

const ACTORS: [&str; 2] = ["the task", "others"];
const TASK: usize = 0;
const OTHERS: usize = 1;

/// The moments, in order.
const MOMENTS: [&str; 5] = [
    "before the first step",
    "while it waits",
    "before it runs again",
    "during the clean-up",
    "after the end",
];
const CLEAN_UP: usize = 3;

pub(super) fn figure() -> Result<Figure> {
    let mut one = Vec::new();
    let mut two = Vec::new();
    for first in 0..MOMENTS.len() {
        one.extend(Recorder::play(&[first])?);
        for second in first..MOMENTS.len() {
            two.extend(Recorder::play(&[first, second])?);
        }
    }
    let most = two.iter().map(|played| played.errors).max().unwrap_or_default();
    let count = two.iter().filter(|played| played.errors == most).count();
    let still = two.iter().position(|played| played.errors == most).unwrap_or_default();
    let state = two[still].run.states.len() - 1;
    let explains = format!(
        "With two requests, the task sees two errors in {count} of {} cases, and in the others at most one. \
         Requests that arrive before the task has run again make one error between them.",
        two.len()
    );
    let sets = [("one request", one), ("two requests", two)];
    let sets = sets.map(|(name, played)| Set {
        name: name.to_owned(),
        runs: played.into_iter().map(|played| played.run).collect(),
    });
    Ok(Figure {
        name: "moments",
        title: "A task, and requests to cancel it at every moment",
        question: "a task that's cancelled catches the error, cleans up with an <code>await</code> of its own, and ends. Two \
                   requests arrive. How many errors can the task see?"
            .to_owned(),
        answers: answers(),
        explains,
        choices: ["Requests", "Moments"],
        sets: sets.into(),
        still: [1, still, state],
    })
}

fn answers() -> Vec<Answer> {
    vec![
        Answer::wrong(
            "one, because it's cancelled only once",
            "while the task cleans up, it isn't cancelled yet: it waits, and any wait can fail.",
        ),
        Answer::right("two, but only if the second arrives during the clean-up"),
        Answer::wrong(
            "two, at whichever moments they arrive",
            "two that arrive before the task has run again make one error between them.",
        ),
    ]
}

/// A run, and the number of errors that the task received during it.
struct Played {
    run: Run,
    errors: usize,
}

/// Records each event, together with the state of the task.
#[derive(Default)]
struct Recorder {
    errors: Cell<usize>,
    deeds: RefCell<Vec<Deed>>,
    states: RefCell<Vec<(String, [Shared; 3])>>,
}

impl Recorder {
    /// Plays the task with requests at these moments. Returns `None` if the task doesn't reach all
    /// of these moments.
    fn play(moments: &[usize]) -> Result<Option<Played>> {
        let queue = ReadyQueue::new()?;
        let recorder = Rc::new(Recorder::default());
        let (answer, flushed) = (queue.create_future::<u32>(), queue.create_future::<u32>());
        let task = queue.create_task(work(Rc::clone(&recorder), answer.clone(), flushed.clone()));
        let task = task.any();
        recorder.state("The task has been created and is queued for its first step.", &task);
        let mut asked = 0;
        for (moment, when) in MOMENTS.iter().enumerate() {
            // A request after the task's end belongs to the last moment only. A task that gets its
            // result doesn't clean up, so it skips the moment of the clean-up.
            let is_after_end = moment == MOMENTS.len() - 1;
            if task.done() == is_after_end {
                for _ in moments.iter().filter(|it| **it == moment) {
                    asked += 1;
                    let could = task.cancel();
                    let done = format!("cancel() = {could}");
                    let says = if could {
                        format!("A request to cancel arrives {when}.")
                    } else {
                        "A request to cancel arrives after the end and changes nothing.".to_owned()
                    };
                    recorder.deed(OTHERS, "cancel()", &done, &says, &task);
                }
            }
            match moment {
                1 if !answer.done() && !task.done() => {
                    answer.set_result(1)?;
                    let says = "The result has arrived, and the task is queued again.";
                    recorder.deed(OTHERS, "the result", "the result arrives", says, &task);
                }
                CLEAN_UP if !flushed.done() && !task.done() => {
                    flushed.set_result(1)?;
                    let says = "What the clean-up waits for has arrived.";
                    recorder.deed(
                        OTHERS,
                        "the clean-up's end",
                        "the clean-up can end",
                        says,
                        &task,
                    );
                }
                _ => {}
            }
            if moment != 1 {
                let before = recorder.deeds.borrow().len();
                let was_done = task.done();
                queue.run_until_idle()?;
                if !was_done && recorder.deeds.borrow().len() == before {
                    let says = "The first step finds the request, and the task ends. None of its code has run.";
                    recorder.deed(TASK, "its step", "ends: nothing ran", says, &task);
                }
                if let Some((_, shared)) = recorder.states.borrow_mut().last_mut() {
                    *shared = recorder.shared(&task);
                }
            }
        }
        let is_complete = asked == moments.len();
        Ok(is_complete
            .then(|| Played { errors: recorder.errors.get(), run: recorder.run(moments) }))
    }

    fn shared(&self, task: &AnyTask) -> [Shared; 3] {
        let state = match (task.done(), task.cancelled()) {
            (false, _) => "pending",
            (true, true) => "cancelled",
            (true, false) => "has a result",
        };
        [
            ("requests", task.cancelling().to_string(), false),
            ("errors", self.errors.get().to_string(), false),
            ("the task", state.to_owned(), false),
        ]
    }

    fn state(&self, says: &str, task: &AnyTask) {
        self.states.borrow_mut().push((says.to_owned(), self.shared(task)));
    }

    fn deed(&self, column: usize, name: &str, done: &str, says: &str, task: &AnyTask) {
        let (name, done) = (name.to_owned(), done.to_owned());
        self.deeds.borrow_mut().push(Deed { column, name, done, is_bad: false });
        self.state(says, task);
    }

    /// Records an action of the running task.
    fn task_does(&self, name: &str, done: &str, says: &str) {
        if let Some(task) = current_task() {
            self.deed(TASK, name, done, says, &task);
        }
    }

    fn run(&self, moments: &[usize]) -> Run {
        let deeds = self.deeds.borrow();
        let states = self.states.borrow();
        let states = states.iter().enumerate().map(|(done, (says, shared))| State {
            says: says.clone(),
            shapes: timeline::drawn(ACTORS, shared, &deeds, done),
        });
        let name =
            moments.iter().map(|moment| MOMENTS[*moment]).collect::<Vec<&str>>().join(", and ");
        Run { name, is_bad: false, states: states.collect() }
    }
}

/// Awaits a result. If the task is cancelled, awaits a clean-up and then passes on the error.
async fn work(
    recorder: Rc<Recorder>,
    answer: Future<u32>,
    flushed: Future<u32>,
) -> step06_tasks::Result<u32> {
    recorder.task_does(
        "its first step",
        "runs to its await",
        "The first step runs to the await, where the task waits.",
    );
    let outcome = answer.await;
    if outcome.is_ok() {
        recorder.task_does(
            "its step",
            "gets the result",
            "The task gets its result and ends with it.",
        );
        return outcome;
    }
    recorder.errors.set(recorder.errors.get() + 1);
    recorder.task_does(
        "its step",
        "an error: cleans up",
        "The await fails. The task catches the error and cleans up, for which it has to wait.",
    );
    if flushed.await.is_ok() {
        let says = "The clean-up is complete, and the task passes the error on.";
        recorder.task_does("its step", "has cleaned up", says);
    } else {
        recorder.errors.set(recorder.errors.get() + 1);
        let says = "The clean-up's own await fails, too. The task gives up its clean-up and passes the error on.";
        recorder.task_does("its step", "an error: gives up", says);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(moments: &[usize]) -> Played {
        Recorder::play(moments).expect("it plays").expect("the task comes to these moments")
    }

    #[test]
    fn only_a_request_during_the_clean_up_makes_a_second_error() {
        for first in 0..MOMENTS.len() {
            for second in first..MOMENTS.len() {
                let Some(played) = Recorder::play(&[first, second]).expect("it plays") else {
                    continue;
                };
                assert_eq!(played.errors == 2, second == CLEAN_UP, "{}", played.run.name);
            }
        }
        let figure = figure().expect("a figure");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, "two, but only if the second arrives during the clean-up");
        assert_eq!(figure.sets.iter().map(|set| set.runs.len()).collect::<Vec<_>>(), [4, 10]);
    }

    #[test]
    fn a_result_that_has_arrived_is_not_seen_if_a_request_comes_before_the_step() {
        let late = played(&[2]).run;
        let all = late.states.iter().map(|state| state.says.as_str()).collect::<Vec<_>>().join(" ");
        assert!(all.contains("The result has arrived"), "{all}");
        assert!(!all.contains("gets its result"), "{all}");
        let done = played(&[4]).run;
        let all = done.states.iter().map(|state| state.says.as_str()).collect::<Vec<_>>().join(" ");
        assert!(all.contains("gets its result") && all.contains("changes nothing"), "{all}");
    }

    #[test]
    fn nothing_of_a_task_runs_that_is_cancelled_before_its_first_step() {
        let early = played(&[0]);
        assert_eq!(early.errors, 0);
        let all =
            early.run.states.iter().map(|state| state.says.as_str()).collect::<Vec<_>>().join(" ");
        assert!(all.ends_with("None of its code has run."), "{all}");
    }
}
