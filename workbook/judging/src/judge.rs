//! Judges a page's exercises in order, up to the first exercise that's red or not written. If all
//! exercises are green, also judges the scenes that belong to no exercise.
//!
//! An exercise can be red because of a mistake in an earlier exercise whose own scenes and trials
//! didn't detect the mistake, or in one of the reader's own layers below the page. So we look for
//! the cause of a red exercise.

use std::collections::BTreeSet;
use std::path::Path;
use std::slice::SliceIndex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::Step;
use crate::blame::{Culprit, culprit};
use crate::machine::{self, NotJudged};
use crate::notebook::page::Page;
use crate::step::{Check, CheckKind};
use crate::verdict::{Effort, Verdict};
use exercises::Exercise;

/// The state of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All scenes and trials of the exercise have the expected results.
    Green,
    /// A scene or a trial of the exercise, or of a later exercise because of this exercise's body,
    /// doesn't have the expected result.
    Red,
    /// The body of the exercise is still a `todo!`.
    NotWritten,
    /// The exercise has no other state yet, because an earlier exercise is red or not written.
    Waits,
    /// The body is the reference's, and the exercise isn't at fault for a red scene or trial,
    /// though its own scenes and trials may not have run yet.
    Given,
    /// The page doesn't compile, so the exercise can't be judged.
    DoesNotCompile,
}

impl State {
    /// Returns the state in words, as `list` prints it.
    pub fn words(self) -> &'static str {
        match self {
            State::Green => "green",
            State::Red => "red",
            State::NotWritten => "not written",
            State::Waits => "waits",
            State::Given => "given",
            State::DoesNotCompile => "does not compile",
        }
    }

    /// Returns the state's symbol.
    pub fn sign(self) -> &'static str {
        match self {
            State::Green => "✓",
            State::Waits => "·",
            State::Given => "○",
            _ => "✗",
        }
    }
}

/// An exercise and its state.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// The exercise.
    pub exercise: &'static Exercise,
    /// The state of the exercise.
    pub state: State,
    /// True if the exercise was green in an earlier judgement of the notebook.
    pub was_green: bool,
}

/// The state of a whole page.
#[derive(Debug)]
pub struct Judgement {
    /// Every exercise of the step, in order.
    pub exercises: Vec<Judged>,
    /// The verdict on the red scene or trial, which belongs to the [first
    /// exercise](Self::first_red) that's neither green nor given, to the exercise in
    /// [`noticed_by`](Self::noticed_by), or to no exercise. `None` if no scene or trial is red, or
    /// if a stage of a loop from scratch [doesn't compile](Self::lacks).
    pub red: Option<Verdict>,
    /// The later exercise whose scene or trial is red because of the first red exercise.
    pub noticed_by: Option<&'static Exercise>,
    /// The verdict on a scene that's stuck or didn't end, if `red` is the verdict on a trial that
    /// reveals more about the cause.
    pub stuck_in: Option<Verdict>,
    /// The lowest of the reader's own layers that can be at fault: the one without which the check
    /// is green or, if there's no such layer, the lowest of all their own. A layer above it can be
    /// at fault instead, for example because it relies on more than this layer promises.
    pub layer_at_fault: Option<String>,
    /// The reason why a stage of a loop from scratch doesn't compile: the name that the loop lacks
    /// or declares otherwise than the contract, if we know the name, and rustc's message.
    pub lacks: Option<String>,
}

impl Judgement {
    /// Creates the judgement on a page that doesn't compile.
    pub fn does_not_compile(step: &Step) -> Judgement {
        Judgement::with_all(step, State::DoesNotCompile)
    }

    /// Creates the judgement on a page that hasn't been touched since it was created. The reader
    /// hasn't written a body yet, so we don't compile the page, and the reader sees the first
    /// exercise immediately. Returns `None` if the page has been touched, or if the first exercise
    /// is given.
    pub fn of_an_untouched_page(page: &Page) -> Option<Judgement> {
        let first = page.step.exercises.first()?;
        (page.is_untouched && page.is_not_written(first)).then(|| {
            let mut judgement = Judgement::with_all(&page.step, State::Waits);
            judgement.set(..1, State::NotWritten);
            judgement.with_given(page)
        })
    }

    fn with_given(mut self, page: &Page) -> Judgement {
        for judged in &mut self.exercises {
            let is_fine = matches!(judged.state, State::Green | State::Waits);
            if is_fine && page.is_given(judged.exercise) {
                judged.state = State::Given;
            }
        }
        self
    }

    pub(crate) fn with_all(step: &Step, state: State) -> Judgement {
        let judged = |exercise| Judged { exercise, state, was_green: false };
        let exercises = step.exercises.iter().map(judged).collect();
        Judgement {
            exercises,
            red: None,
            noticed_by: None,
            stuck_in: None,
            layer_at_fault: None,
            lacks: None,
        }
    }

    pub(crate) fn set(
        &mut self,
        which: impl SliceIndex<[Judged], Output = [Judged]>,
        state: State,
    ) {
        for judged in &mut self.exercises[which] {
            judged.state = state;
        }
    }

    /// Records which exercises were green in earlier judgements, given those exercises' numbers.
    pub fn remember(&mut self, were_green: &[String]) {
        for judged in &mut self.exercises {
            judged.was_green = were_green.contains(&judged.exercise.number);
        }
    }

    /// Returns the exercises that are green for the first time.
    pub fn newly_green(&self) -> impl Iterator<Item = &'static Exercise> {
        let new = self.exercises.iter().filter(|it| it.state == State::Green && !it.was_green);
        new.map(|judged| judged.exercise)
    }

    /// Returns the number of exercises before the first exercise that's neither green nor given.
    pub(crate) fn settled(&self) -> usize {
        let is_settled = |it: &&Judged| matches!(it.state, State::Green | State::Given);
        self.exercises.iter().take_while(is_settled).count()
    }

    /// Returns the first exercise that's neither green nor given.
    pub fn first_red(&self) -> Option<&'static Exercise> {
        self.exercises.get(self.settled()).map(|judged| judged.exercise)
    }

    /// Returns true if every exercise is green or given and no other scene is red.
    pub fn is_green(&self) -> bool {
        self.red.is_none() && self.first_red().is_none()
    }
}

/// Judges a page by running the scenes and trials of its program.
///
/// Fails with [`NotJudged`] if the scenes and trials couldn't be run, or if the machine caused a
/// red verdict.
pub fn judge(page: &Page, program: &Path) -> anyhow::Result<Judgement> {
    let judged = judge_in_order(page, program).map_err(NotJudged::because)?;
    Ok(judged.with_given(page))
}

fn judge_in_order(page: &Page, program: &Path) -> anyhow::Result<Judgement> {
    let mut judgement = Judgement::with_all(&page.step, State::Waits);
    let exercises = page.step.exercises;
    let written = exercises.iter().take_while(|it| !page.is_not_written(it)).count();
    let found = first_red(page, program, &checks_up_to(page, written), Effort::for_a_reader())?;
    let Some((judged, red)) = found else {
        judgement.set(..written, State::Green);
        judgement.set(written..exercises.len().min(written + 1), State::NotWritten);
        return Ok(judgement);
    };
    if !red.stops_at_a_todo() {
        machine::control(&page.step, &red)?;
    }
    let Some(index) = judged else {
        judgement.set(.., State::Green);
        judgement.red = Some(red);
        return Ok(judgement);
    };
    judgement.set(..index, State::Green);
    let (red, stuck_in) = more_telling(page, program, &exercises[index], red)?;
    judgement.stuck_in = stuck_in;
    if red.is_not_written(&exercises[index]) {
        judgement.set(index..=index, State::NotWritten);
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
    judgement.set(at_fault.., State::Waits);
    judgement.set(at_fault..=at_fault, State::Red);
    judgement.noticed_by = (at_fault < index).then_some(&exercises[index]);
    judgement.red = Some(red);
    Ok(judgement)
}

/// Returns the most informative verdict on a red exercise. A scene that's stuck or doesn't end
/// shows only which lines are missing. If one of the exercise's trials is also red, for a reason
/// other than a `todo!` or a run that doesn't end, returns the verdict on the trial, which shows a
/// short program, and the verdict on the scene.
fn more_telling(
    page: &Page,
    program: &Path,
    exercise: &Exercise,
    red: Verdict,
) -> anyhow::Result<(Verdict, Option<Verdict>)> {
    let only_lacks_lines = (red.is_stuck() || red.did_not_end()) && red.only_lacks_lines();
    if red.check.kind != CheckKind::Scene || !only_lacks_lines {
        return Ok((red, None));
    }
    let trials = page.step.checks_of(exercise).filter(|check| check.kind == CheckKind::Trial);
    let trials: Vec<Checked> = trials.map(|trial| (None, trial)).collect();
    let found = first_red(page, program, &trials, Effort::for_a_reader())?;
    let tells_more = |it: &Verdict| !it.stops_at_a_todo() && !it.did_not_end();
    Ok(match found.map(|(_, verdict)| verdict).filter(tells_more) {
        Some(trial) => (trial, Some(red)),
        None => (red, None),
    })
}

/// A scene or a trial, with the index of the first exercise that it judges. The index is `None` for
/// a scene that judges no exercise.
pub type Checked = (Option<usize>, Check);

/// Lists the scenes and trials of the first `written` exercises, without duplicates, in the order
/// of the exercises. If that's every exercise, the list also contains the scenes that judge no
/// exercise.
pub fn checks_up_to(page: &Page, written: usize) -> Vec<Checked> {
    let Step { exercises, scenes, .. } = page.step;
    let of_exercise =
        |(index, exercise)| page.step.checks_of(exercise).map(move |check| (Some(index), check));
    let mut checks: Vec<Checked> =
        exercises.iter().enumerate().take(written).flat_map(of_exercise).collect();
    if written == exercises.len() {
        checks.extend(scenes.iter().map(|scene| (None, *scene)));
    }
    let mut known = BTreeSet::new();
    checks.retain(|(_, check)| known.insert(check.title()));
    checks
}

/// The number of scenes and trials that run simultaneously. Running several at once saves time,
/// because some of them mostly wait. No result should depend on how busy the processors are.
const AT_ONCE: usize = 4;

/// Runs scenes and trials until a verdict is red or a check can't be judged. Returns the first red
/// verdict, or fails if an earlier check can't be judged.
///
/// The checks start in order, and each check that has started runs to its end. So every scene or
/// trial before the first red check has run.
pub fn first_red(
    page: &Page,
    program: &Path,
    checks: &[Checked],
    effort: Effort,
) -> anyhow::Result<Option<(Option<usize>, Verdict)>> {
    let next = AtomicUsize::new(0);
    let red = AtomicBool::new(false);
    let run_in_turn = || {
        while !red.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((judged, check)) = checks.get(index) else { break };
            let verdict = check.verdict(page, program, effort);
            if !verdict.as_ref().is_ok_and(Verdict::is_green) {
                red.store(true, Ordering::Relaxed);
                return Some((index, *judged, verdict));
            }
        }
        None
    };
    let found: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(run_in_turn)).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let found = found
        .into_iter()
        .filter_map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    let first = found.min_by_key(|(index, ..)| *index);
    first.map(|(_, judged, verdict)| Ok((judged, verdict?))).transpose()
}
