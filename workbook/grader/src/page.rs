//! Grades one page, in a sandbox unless the teacher wants none: builds and judges the page as a
//! reader's own run does and then, except for a loop from scratch, judges the page's green
//! exercises again by their trials with fresh programs. Prints the outcome as JSON.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;

use author::described::step_of;
use exercises::Exercise;
use judging::cargo::{Built, Failure, Messages, build};
use judging::judge::{Judgement, State, checks_up_to, first_red, judge};
use judging::notebook::Notebook;
use judging::notebook::given::Change;
use judging::notebook::page::Page;
use judging::sandbox;
use judging::stages::judge_stages;
use judging::step::CheckKind;
use judging::terminal::Terminal;
use judging::verdict::{Effort, Verdict};
use judging::workbook::Workbook;
use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
};

use crate::look::worth_a_look;
use crate::sandbox::Settings;
use crate::table::{JudgedPage, PageOutcome};

/// The command that grades a page. Only this program itself uses the command.
pub const GRADE: &str = "grade-page";

/// The maximum memory of a judge, no matter how much a page sends.
const MOST_MEMORY: u64 = 1024 * 1024 * 1024;

/// The maximum length of a mistake's description, in characters.
const MOST_WORDS: usize = 100_000;

/// The findings of the judge.
struct Graded {
    passed: usize,
    /// The state of the first exercise that isn't green, if there is one.
    state: State,
    why: String,
    /// The name of the red scene or trial of that exercise.
    check: Option<&'static str>,
}

/// Grades a page in our copy of a handed-in notebook, given the program of the page's step.
pub fn grade_page(
    workbook: &Workbook,
    package: &str,
    program: &Path,
    dir: &Path,
) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let step = &step_of(workbook, package, program.to_owned())?;
    set_parent_process_death_signal(Some(Signal::KILL)).context("die with the grader")?;
    let limit = Rlimit { current: Some(MOST_MEMORY), ..getrlimit(Resource::Data) };
    setrlimit(Resource::Data, limit).context("limit the judge's own memory")?;
    let (settings, seed) = serde_json::from_reader(io::stdin()).context("read the task")?;
    let settings: Settings = settings;
    sandbox::set(settings);
    let notebook = Notebook { dir: dir.to_owned(), workbook: workbook.clone() };
    let look = worth_a_look(&notebook.open(step)?.0)?;
    // An optional exercise that isn't written gets our body, so that everything else is judged.
    notebook.change(&mut notebook.choice(), step, |it| it.is_optional.then_some(Change::Give))?;
    let (page, _) = notebook.open(step)?;
    let outcome = grade(&page, seed)?.outcome(&page, look, began.elapsed());
    Terminal::of_stdout().print(&format!("{}\n", serde_json::to_string(&outcome)?));
    Ok(ExitCode::SUCCESS)
}

fn grade(page: &Page, seed: u32) -> anyhow::Result<Graded> {
    let none_passed = |state, why| Graded { passed: 0, state, why, check: None };
    let broken = |failure: &Failure| none_passed(State::DoesNotCompile, first_error(failure));
    if page.step.is_from_scratch() {
        let judged = judge_stages(page, Messages::Kept)?;
        return Ok(judged.map_or_else(|failure| broken(&failure), |it| Graded::of(&it)));
    }
    if page.step.exercises.first().is_some_and(|first| page.is_not_written(first)) {
        // We don't even build the page, because building takes most of the time for a notebook.
        return Ok(none_passed(State::NotWritten, String::new()));
    }
    let program = match build(page, Messages::Kept)? {
        Built::Program(program, _) => program,
        Built::DoesNotCompile(failure) => return Ok(broken(&failure)),
    };
    let judgement = judge(page, &program)?;
    match judge_with_fresh_programs(page, &program, green(&judgement), seed)? {
        Some((passed, red)) => Ok(Graded {
            passed,
            state: State::Red,
            why: format!("{} (with fresh programs)", sentence(&red)),
            check: Some(red.check.name),
        }),
        None => Ok(Graded::of(&judgement)),
    }
}

/// Returns the states of the exercises that count. An exercise that's given, which in a notebook
/// that was handed in is always an optional one, doesn't count.
fn counted(judgement: &Judgement) -> impl Iterator<Item = State> {
    judgement.exercises.iter().map(|it| it.state).filter(|state| *state != State::Given)
}

/// Returns the number of exercises before the first exercise that counts and isn't green.
fn green(judgement: &Judgement) -> usize {
    counted(judgement).take_while(|state| *state == State::Green).count()
}

/// Judges the first `exercises` exercises by their trials with fresh programs, starting at the
/// number `first_program`. Returns the index of the first red exercise, if any, and the verdict.
fn judge_with_fresh_programs(
    page: &Page,
    program: &Path,
    exercises: usize,
    first_program: u32,
) -> anyhow::Result<Option<(usize, Verdict)>> {
    let mut checks = checks_up_to(page, exercises);
    checks.retain(|(_, check)| check.kind == CheckKind::Trial);
    let effort = Effort { first_program, ..Effort::for_a_check() };
    let found = first_red(page, program, &checks, effort)?;
    Ok(found.and_then(|(index, verdict)| Some((index?, verdict))))
}

impl Graded {
    fn outcome(self, page: &Page, look: Vec<String>, took: Duration) -> PageOutcome {
        let counted = page.step.exercises.iter().filter(|it| !page.is_given(it));
        let counted: Vec<&Exercise> = counted.collect();
        let first = counted.get(self.passed);
        let judged = JudgedPage {
            passed: self.passed,
            exercises: counted.len(),
            first: first.map(|exercise| exercise.number.clone()),
            name: first.map(|exercise| exercise.name.clone()),
            check: self.check.map(str::to_owned),
            look,
            seconds: (took.as_secs_f64() * 10.0).round() / 10.0,
        };
        let why = self.why.chars().take(MOST_WORDS).collect();
        PageOutcome::new(page.step.package, Some(judged), self.state.words(), why)
    }

    fn of(judgement: &Judgement) -> Graded {
        let passed = green(judgement);
        let state = counted(judgement).nth(passed).unwrap_or(State::Green);
        let red = judgement.red.as_ref().filter(|_| state != State::NotWritten);
        Graded {
            passed,
            state,
            why: red.map(sentence).or(judgement.lacks.clone()).unwrap_or_default(),
            check: red.map(|red| red.check.name),
        }
    }
}

/// Returns the sentence about the run's faults or, if the run had none, the verdict's sentence with
/// the first wrong line, if any.
fn sentence(red: &Verdict) -> String {
    let line = red.first_wrong_line();
    match red.run.sentence() {
        Some(sentence) => sentence,
        None if line.is_empty() => red.sentence(),
        None => format!("{}: {line}", red.sentence()),
    }
}

/// Returns the compiler's first error, without the lines that show its place, or cargo's own error
/// with its causes.
fn first_error(failure: &Failure) -> String {
    let text = failure.to_string();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("error"));
    let Some(first) = lines.next() else {
        return "the build was killed before the compiler printed an error".to_owned();
    };
    let causes =
        lines.skip_while(|line| *line != "Caused by:").filter(|line| line.starts_with("  "));
    causes.fold(first.to_owned(), |text, cause| format!("{text}: {}", cause.trim()))
}
