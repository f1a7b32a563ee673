//! Compares a page's results with a scene's key or, in a trial, with the reference's results. If a
//! trial's results differ, shortens the first program in which they differ.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use scene::{FAILED_PROGRAM, Selection};

use crate::kept::Kept;
use crate::keys;
use crate::notebook::page::Page;
use crate::run::{SceneRun, run_trial};
use crate::step::{Check, CheckKind, Step};
use crate::verdict::{Effort, Verdict};

/// The part of the time that each shorter program may take. Programs normally take a few
/// milliseconds.
const PART_FOR_A_PROGRAM: u32 = 5;

impl Check {
    /// Runs the check on a page's program.
    pub fn verdict(self, page: &Page, program: &Path, effort: Effort) -> anyhow::Result<Verdict> {
        let verdict = self.of_a_program(&page.step, program, effort)?;
        // If none of the page's bodies catches panics, a caught panic was caught by our own code,
        // so the panic counts as a fault.
        Ok(if page.catches_panics() { verdict } else { verdict.with_caught_panics() })
    }

    /// Runs the check on any program that has the step's scenes and trials.
    pub fn of_a_program(
        self,
        step: &Step,
        program: &Path,
        effort: Effort,
    ) -> anyhow::Result<Verdict> {
        match self.kind {
            CheckKind::Scene => {
                Verdict::of_scene(self, keys::of(step, self.name)?, program, effort)
            }
            CheckKind::Trial => compare(self, step.reference, program, effort),
        }
    }
}

/// Runs all of a trial's programs on a page and compares the results with the reference's. If the
/// results differ, the verdict shows the first program in which they differ, shortened if the
/// effort allows it and the difference can be reproduced.
pub(crate) fn compare(
    trial: Check,
    reference: &'static Path,
    page: &Path,
    effort: Effort,
) -> anyhow::Result<Verdict> {
    let kept = effort.trusts_a_kept_run.then(|| Kept::of(trial, reference)).flatten();
    let sides = Sides { trial, page, reference, effort, kept };
    let (yours, expected) = sides.run_all()?;
    let Some(index) = first_difference(&yours, &expected) else {
        let caught = yours.caught;
        return Ok(sides.verdict(SceneRun { caught, ..SceneRun::default() }, ""));
    };
    let number = effort.first_program.saturating_add(u32::try_from(index)?);
    let verbs = expected.programs[index].verbs;
    if !effort.time_to_shorten.is_zero()
        && let Some(verdict) = sides.shortened(number, verbs)?
    {
        return Ok(verdict);
    }
    // The caller doesn't want a shortened program, or the difference couldn't be reproduced. In
    // both cases, we only have the results of the first run.
    let expected = &expected.programs[index].transcript;
    let transcript = yours.programs.get(index).map(|program| program.transcript.clone());
    Ok(sides.verdict(SceneRun { transcript: transcript.unwrap_or_default(), ..yours }, expected))
}

/// Returns the line with the error that kept a program from reaching its end, if there's such a
/// line.
fn failed_program(run: &SceneRun) -> Option<String> {
    let transcripts = run.programs.iter().map(|program| &program.transcript);
    let mut lines = transcripts.chain([&run.transcript]).flat_map(|transcript| transcript.lines());
    lines.find(|line| line.starts_with(FAILED_PROGRAM)).map(str::to_owned)
}

/// Returns the index of the first program whose results differ between the two sides or that the
/// page didn't finish. If the page finished all programs as expected but has a fault, returns the
/// last program's index.
fn first_difference(yours: &SceneRun, expected: &SceneRun) -> Option<usize> {
    let pairs = expected.programs.iter().zip(&yours.programs);
    let differs = pairs.into_iter().position(|(expected, yours)| expected != yours);
    let is_cut = !yours.faults.is_empty() || yours.programs.len() < expected.programs.len();
    let last = expected.programs.len().saturating_sub(1);
    differs.or_else(|| is_cut.then(|| yours.programs.len().min(last)))
}

/// A trial and the two executables that run it: the page's and the reference's.
struct Sides<'a> {
    trial: Check,
    page: &'a Path,
    reference: &'static Path,
    effort: Effort,
    /// The file with the reference's last run, if the effort allows us to use a kept run.
    kept: Option<Kept>,
}

/// The reference's executable, a trial's name, and the number of the trial's first program.
type Programs = (&'static Path, &'static str, u32);

/// The reference's results in all of a trial's programs. The results are the same in each run, so
/// we can compare many answers with one run of the reference.
static REFERENCE: Mutex<BTreeMap<Programs, Arc<SceneRun>>> = Mutex::new(BTreeMap::new());

impl Sides<'_> {
    /// Runs all programs on the page. Also runs them on the reference, unless this process knows
    /// the reference's results already or the kept results match the page's.
    fn run_all(&self) -> anyhow::Result<(SceneRun, Arc<SceneRun>)> {
        let known = || REFERENCE.lock().unwrap_or_else(PoisonError::into_inner);
        let programs = (self.reference, self.trial.name, self.effort.first_program);
        let run_page = || self.run_one(self.page, &Selection::All, self.effort.patience);
        let found = known().get(&programs).cloned();
        if let Some(expected) = found {
            return Ok((run_page()?, expected));
        }
        let (yours, expected) = match self.kept.as_ref().and_then(Kept::read) {
            Some(kept) => {
                let yours = run_page()?;
                if first_difference(&yours, &kept).is_none() {
                    return Ok((yours, Arc::new(kept)));
                }
                (yours, self.run_reference(&Selection::All, self.effort.patience)?)
            }
            None => self.run(&Selection::All, self.effort.patience)?,
        };
        if let Some(kept) = &self.kept {
            kept.write(&expected);
        }
        let expected = Arc::new(expected);
        known().insert(programs, Arc::clone(&expected));
        Ok((yours, expected))
    }

    /// Runs programs on both sides simultaneously. Fails if a side can't be run, or if the
    /// reference doesn't finish these programs without a fault.
    fn run(
        &self,
        selection: &Selection,
        patience: Duration,
    ) -> anyhow::Result<(SceneRun, SceneRun)> {
        let (yours, expected) = thread::scope(|scope| {
            let yours = scope.spawn(|| self.run_one(self.page, selection, patience));
            let expected = self.run_reference(selection, patience);
            (yours.join(), expected)
        });
        let yours = yours.ok().context("a thread of the runner panicked")??;
        Ok((yours, expected?))
    }

    fn run_reference(&self, selection: &Selection, patience: Duration) -> anyhow::Result<SceneRun> {
        let name = self.trial.name;
        let expected = self.run_one(self.reference, selection, patience)?;
        // The machine can make both sides fail in the same way, and equal failures mustn't count as
        // green. So check the reference on its own.
        let fault = expected.sentence().or_else(|| failed_program(&expected)).unwrap_or_default();
        ensure!(fault.is_empty(), "the reference fails the trial {name}: {fault}");
        Ok(expected)
    }

    fn run_one(
        &self,
        program: &Path,
        selection: &Selection,
        patience: Duration,
    ) -> anyhow::Result<SceneRun> {
        run_trial(program, self.trial.name, selection, patience, self.effort.first_program)
    }

    fn verdict(&self, yours: SceneRun, expected: &str) -> Verdict {
        Verdict { check: self.trial, expected: expected.to_owned(), run: yours }.explained()
    }

    /// Removes the verbs that aren't needed for the two sides to differ on a program. Stops when
    /// the time is up. Returns the verdict on the shortest program. Returns `None` if the two sides
    /// agree on the whole program.
    fn shortened(&self, number: u32, verbs: usize) -> anyhow::Result<Option<Verdict>> {
        let time = self.effort.time_to_shorten;
        let (deadline, patience) = (Instant::now() + time, time / PART_FOR_A_PROGRAM);
        let patience = patience.min(self.effort.patience);
        let whole: Vec<usize> = (0..verbs).collect();
        let Some(mut shortest) = self.difference(number, &whole, self.effort.patience)? else {
            return Ok(None);
        };
        let mut kept = whole;
        let mut piece = kept.len();
        while piece > 0 && !kept.is_empty() {
            let mut start = 0;
            while start < kept.len() && Instant::now() < deadline {
                let mut fewer = kept.clone();
                fewer.drain(start..(start + piece).min(kept.len()));
                // A program that fails on the reference doesn't count as a shorter program.
                match self.difference(number, &fewer, patience) {
                    Ok(Some(verdict)) => (shortest, kept) = (verdict, fewer),
                    _ => start += piece,
                }
            }
            piece /= 2;
        }
        Ok(Some(shortest))
    }

    /// Runs part of a program and returns the verdict if the two sides differ.
    fn difference(
        &self,
        number: u32,
        kept: &[usize],
        patience: Duration,
    ) -> anyhow::Result<Option<Verdict>> {
        let selection = Selection::One { number, kept: Some(kept.to_vec()) };
        let (yours, expected) = self.run(&selection, patience)?;
        let verdict = self.verdict(yours, &expected.transcript);
        Ok((!verdict.is_green()).then_some(verdict))
    }
}
