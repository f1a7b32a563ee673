//! Judges a page: its exercises in order, up to the first red one; if all are green, also the
//! scenes that judge no exercise.
//!
//! An exercise can be red because of one before it, whose own scenes and trials didn't notice, or
//! because of one of the reader's own layers below. So when one is red, we look for the culprit.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::blame::{Culprit, culprit};
use crate::notebook::page::Page;
use crate::verdict::{Check, Effort, Verdict};
use scene::{Exercise, Scene, Step};

/// The state of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// All its scenes are as expected.
    Green,
    /// One of its scenes or trials isn't as expected.
    Red,
    /// Its body is still a `todo!`.
    NotWritten,
    /// It hasn't been judged, because an exercise before it isn't green yet.
    Waits,
    /// The page doesn't compile, so we can't tell.
    DoesNotCompile,
}

impl State {
    /// Returns the state in words, as `list` prints it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            State::Green => "green",
            State::Red => "red",
            State::NotWritten => "not written",
            State::Waits => "waits",
            State::DoesNotCompile => "does not compile",
        }
    }

    /// Returns the state as a sign.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            State::Green => "✓",
            State::Waits => "·",
            _ => "✗",
        }
    }
}

/// An exercise and its state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged {
    /// The exercise.
    pub(crate) exercise: &'static Exercise,
    /// Its state.
    pub(crate) state: State,
}

/// The state of a whole page.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// Every exercise of the step, in order.
    pub(crate) exercises: Vec<Judged>,
    /// The scene or trial that is red: the first red exercise's, or a scene that belongs to no
    /// exercise. `None` if that exercise isn't written.
    pub(crate) red: Option<Verdict>,
    /// The later exercise whose scene or trial is red because of the first red one.
    pub(crate) noticed_by: Option<&'static Exercise>,
    /// The reader's own layer because of which the first red exercise is red.
    pub(crate) layer_at_fault: Option<String>,
}

impl Judgement {
    /// Makes the judgement of a page that doesn't compile.
    pub(crate) fn does_not_compile(step: &Step) -> Judgement {
        Judgement::with_all(step, State::DoesNotCompile)
    }

    fn with_all(step: &Step, state: State) -> Judgement {
        let judged = |exercise| Judged { exercise, state };
        let exercises = step.exercises.iter().map(judged).collect();
        Judgement { exercises, red: None, noticed_by: None, layer_at_fault: None }
    }

    /// Returns the first exercise that isn't green.
    pub(crate) fn first_red(&self) -> Option<&'static Exercise> {
        let red = self.exercises.iter().find(|judged| judged.state != State::Green);
        red.map(|judged| judged.exercise)
    }

    /// Returns true if nothing is left to do.
    pub(crate) fn is_green(&self) -> bool {
        self.red.is_none() && self.first_red().is_none()
    }
}

/// Judges a page by running the scenes and trials of its program.
pub(crate) fn judge(page: &Page, program: &Path) -> anyhow::Result<Judgement> {
    let mut judgement = Judgement::with_all(&page.step, State::Waits);
    for (index, exercise) in page.step.exercises.iter().enumerate() {
        if page.is_not_written(exercise) {
            judgement.exercises[index].state = State::NotWritten;
            return Ok(judgement);
        }
        let Some(red) = first_red(page, program, page.checks_of(exercise))? else {
            judgement.exercises[index].state = State::Green;
            continue;
        };
        if red.is_not_written(exercise) {
            judgement.exercises[index].state = State::NotWritten;
            judgement.red = Some(red);
            return Ok(judgement);
        }
        let at_fault = match culprit(page, index, &red)? {
            Culprit::Exercise(at_fault) => at_fault,
            Culprit::Layer(layer) => {
                judgement.layer_at_fault = Some(layer);
                index
            }
        };
        judgement.exercises[at_fault].state = State::Red;
        for waits in &mut judgement.exercises[at_fault + 1..] {
            waits.state = State::Waits;
        }
        judgement.noticed_by = (at_fault < index).then_some(exercise);
        judgement.red = Some(red);
        return Ok(judgement);
    }
    let judges = |scene: &Scene| {
        let mut named = page.step.exercises.iter().flat_map(|exercise| exercise.scenes);
        named.any(|name| *name == scene.name)
    };
    let rest = page.step.scenes.iter().filter(|scene| !judges(scene));
    judgement.red = first_red(page, program, rest.map(Check::Scene))?;
    Ok(judgement)
}

/// How many scenes and trials run at a time. Most of them mainly wait.
const AT_ONCE: usize = 2;

/// Runs scenes and trials up to the first red one, and returns its verdict.
fn first_red(
    page: &Page,
    program: &Path,
    checks: impl Iterator<Item = Check>,
) -> anyhow::Result<Option<Verdict>> {
    let checks: Vec<Check> = checks.collect();
    let next = AtomicUsize::new(0);
    let red = AtomicBool::new(false);
    let run_in_turn = || -> anyhow::Result<Option<(usize, Verdict)>> {
        while !red.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(check) = checks.get(index) else { break };
            let verdict = check.verdict(page, program, Effort::for_a_reader())?;
            if !verdict.is_green() {
                red.store(true, Ordering::Relaxed);
                return Ok(Some((index, verdict)));
            }
        }
        Ok(None)
    };
    let found: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(run_in_turn)).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut first = None;
    for result in found {
        let found = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        first = first.into_iter().chain(found).min_by_key(|(index, _)| *index);
    }
    Ok(first.map(|(_, verdict)| verdict))
}
