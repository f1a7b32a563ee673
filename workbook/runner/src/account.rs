//! The report on a judged page. The report has two forms: `report.rs` shows it on a terminal, and
//! `events.rs` sends it to other programs. Both modules use the text from this module.

use crate::after_green::AfterGreen;
use crate::diff::Difference;
use crate::reading::{after_the_last, all_done, next_part};
use exercises::{Exercise, Nudge};
use judging::Step;
use judging::cargo::Failure;
use judging::diagnostics::{Place, Problem};
use judging::judge::{Judgement, State};
use judging::notebook::page::Page;
use judging::run::Fault;
use judging::step::{Check, CheckKind};
use judging::terminal::{count, cut, shown, visible};
use judging::verdict::{Verdict, is_of};
use judging::workbook::without_dots;
use scene::record::{Call, Panic};

/// The whole report on a page.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    /// The state of the whole page: green, red, not written, or not compiling.
    pub(crate) outcome: State,
    /// The outcome in a sentence.
    pub(crate) words: String,
    /// The exercise to work on. `None` if the page is green or doesn't compile, or if the red scene
    /// judges no exercise.
    pub(crate) exercise: Option<&'static Exercise>,
    /// The place that the reader should look at.
    pub(crate) place: Option<Place>,
    /// The report on the last of the exercises that have just turned green for the first time.
    pub(crate) after_green: Option<AfterGreen>,
    pub(crate) red: Option<Red>,
    /// The reason why a stage of a loop from scratch doesn't compile; see [`Judgement::lacks`].
    pub(crate) lacks: Option<String>,
    /// Suggestions for what to do next if everything is green, one sentence per suggestion.
    pub(crate) next: Vec<String>,
    /// If the page doesn't compile, the compiler's errors and warnings that have a place, one per
    /// line.
    pub(crate) complaints: String,
}

/// The report on a red scene or trial.
#[derive(Debug, Clone)]
pub(crate) struct Red {
    /// Sentences to show before the rest of this report.
    pub(crate) notes: Vec<String>,
    /// The red scene or trial.
    pub(crate) check: Check,
    /// A sentence for each mistake, with the causes first.
    pub(crate) sentences: Vec<String>,
    /// The reader's own calls that led to a panic, with the most recent call first.
    pub(crate) calls: Vec<OwnCall>,
    /// The heading above `calls`.
    pub(crate) calls_title: &'static str,
    /// Advice about the kind of mistake to look for.
    pub(crate) advice: Option<&'static str>,
    /// The difference between the expected transcript and the page's, if they differ.
    pub(crate) difference: Option<Difference>,
    /// The first lines of the program's own output.
    pub(crate) printed: Vec<String>,
    /// A note about the amount of output that isn't shown.
    pub(crate) printed_more: Option<String>,
    /// A hint for this specific mistake.
    pub(crate) nudge: Option<&'static str>,
    /// The place of the panic or, if the panic didn't occur on the page, of the last call on the
    /// page that led to it.
    panicked_at: Option<Place>,
}

/// A call on the reader's page.
#[derive(Debug, Clone)]
pub(crate) struct OwnCall {
    pub(crate) place: Place,
    pub(crate) function: String,
    /// The number of the exercise, if the function is an exercise.
    pub(crate) exercise: Option<&'static str>,
    /// The number of calls left out before this call because they're in no exercise's function.
    pub(crate) skipped: usize,
}

/// The maximum number of lines of the program's own output to show.
const PRINTED_LINES: usize = 12;

impl Account {
    /// Creates the report on a page that compiles.
    pub(crate) fn of(page: &Page, judgement: &Judgement) -> anyhow::Result<Account> {
        let exercise = judgement.first_red();
        let red =
            judgement.red.as_ref().map(|verdict| Red::in_a_judgement(page, judgement, verdict));
        let newly_green = judgement.newly_green().last();
        let state = exercise.and_then(|it| judgement.exercises.iter().find(|of| of.exercise == it));
        let outcome = match (state.map(|judged| judged.state), &red) {
            (Some(State::NotWritten), _) => State::NotWritten,
            (None, None) => State::Green,
            _ => State::Red,
        };
        let words = match (outcome, exercise, &red) {
            (State::Green, ..) => all_green(page),
            (_, None, _) => {
                "Every exercise is green, but a scene that belongs to no exercise isn't green:"
                    .to_owned()
            }
            (State::Red, Some(_), Some(red)) => red.sentences.join("; and "),
            (_, Some(Exercise { number, name, .. }), _) => judgement
                .lacks
                .clone()
                .unwrap_or_else(|| format!("{number} {name} isn't written yet")),
        };
        let function = exercise.map(|exercise| Place::of(page, exercise)).transpose()?;
        Ok(Account {
            outcome,
            words,
            exercise,
            place: red.as_ref().and_then(|red| red.panicked_at.clone()).or(function),
            after_green: newly_green.map(|it| AfterGreen::of(page, it)).transpose()?,
            next: if outcome == State::Green { what_is_next(page)? } else { Vec::new() },
            complaints: String::new(),
            lacks: judgement.lacks.clone(),
            red,
        })
    }

    /// Creates the report on a page that doesn't compile.
    pub(crate) fn of_a_failure(page: &Page, failure: &Failure) -> Account {
        let error = failure.problems.iter().find(|problem| problem.is_error());
        Account {
            outcome: State::DoesNotCompile,
            words: failure.sentence(page),
            exercise: None,
            place: error.and_then(|error| error.place.as_ref()).map(|span| span.begin.clone()),
            after_green: None,
            red: None,
            lacks: None,
            next: Vec::new(),
            complaints: failure.problems.iter().filter_map(Problem::line).collect(),
        }
    }

    /// Removes the program's own output, which can contain anything.
    pub(crate) fn without_output(mut self) -> Account {
        if let Some(red) = &mut self.red {
            red.printed.clear();
        }
        self
    }

    /// Returns lines for an editor's list of problems, in the format of C compilers, which many
    /// editors can read.
    pub(crate) fn problems(&self) -> String {
        if self.outcome == State::DoesNotCompile {
            return self.complaints.clone();
        }
        let Some(Place { file, line: Some(line) }) = &self.place else { return String::new() };
        let Some(Exercise { number, name, .. }) = self.exercise else { return String::new() };
        match &self.red {
            Some(Red { check, .. }) if self.outcome == State::Red => {
                let words = &self.words;
                format!("{file}:{line}:1: error: {number} {name}: {words} ({})\n", check.short())
            }
            _ => format!("{file}:{line}:1: note: {}\n", self.words),
        }
    }
}

/// Returns a sentence that says that everything is green.
fn all_green(page: &Page) -> String {
    let given = page.step.exercises.iter().filter(|it| page.is_given(it)).count();
    let exercises = match given {
        0 => "every exercise".to_owned(),
        given => {
            let yours = count(page.step.exercises.len() - given, "exercise");
            format!("your {yours} ({given} more given)")
        }
    };
    format!(
        "All green: {exercises}, {}, and {} programs in {}. Well done!",
        count(page.step.scenes.len(), "scene"),
        page.step.trials.iter().map(|trial| trial.programs).sum::<u32>(),
        count(page.step.trials.len(), "trial"),
    )
}

/// Returns suggestions for what to do next when everything is green.
fn what_is_next(page: &Page) -> anyhow::Result<Vec<String>> {
    let Page { notebook, step, .. } = page;
    let mut sentences = Vec::new();
    if step.has_server {
        sentences.push(format!("Try it: {}", page.command(" -- serve")));
    }
    if notebook.workbook.steps()?.last().is_some_and(|last| last == step.package) {
        let book = notebook.typed(Some("book"), " -- serve");
        sentences.push(format!(
            "Those were the last exercises. The book goes on, with programs to run and servers to \
             fix: {book}"
        ));
    }
    let next = next_part(notebook, Some(step.package))?;
    sentences.extend(after_the_last(page, next.as_deref())?);
    sentences.extend(match next {
        Some(next) => vec![format!("Next: {}", notebook.typed(Some(&next), ""))],
        None => all_done(notebook)?,
    });
    Ok(sentences)
}

impl Red {
    fn in_a_judgement(page: &Page, judgement: &Judgement, verdict: &Verdict) -> Red {
        let mut notes = Vec::new();
        if let (Some(later), Some(at_fault)) = (judgement.noticed_by, judgement.first_red()) {
            notes.push(noticed(later, at_fault));
        }
        if let Some(layer) = &judgement.layer_at_fault {
            notes.push(format!(
                "The fault is in your {layer} or in a layer above it: with the reference's layers \
                 in place of yours, the check is green. To judge your {layer}: {}",
                page.notebook.typed(Some(layer), "")
            ));
        }
        if let Some(scene) = &judgement.stuck_in {
            notes.push(without_an_end(&page.step, scene));
        }
        let nudge = judgement.first_red().and_then(|exercise| {
            let of_the_scene = || nudge_for(exercise, judgement.stuck_in.as_ref()?);
            nudge_for(exercise, verdict).or_else(of_the_scene)
        });
        Red { notes, nudge, ..Red::of(page, verdict) }
    }

    /// Creates the report on a single scene or trial.
    pub(crate) fn of(page: &Page, verdict: &Verdict) -> Red {
        let panic = match verdict.run.faults.first() {
            Some(Fault::Panicked(panic)) => Some(panic),
            _ => None,
        };
        let printed = visible(&verdict.run.printed);
        let lines = printed.lines().count();
        // A RefCell's panic message on a second borrow begins with these words. The first borrow is
        // usually further up the stack.
        let is_borrowed = panic.is_some_and(|it| it.message.starts_with("RefCell already"));
        let calls = panic.map(|panic| own_calls(page, panic)).unwrap_or_default();
        // A trial prints its program, and any of the program's lines can be the cause.
        let lines_before = if verdict.check.kind == CheckKind::Trial { 40 } else { 6 };
        Red {
            notes: Vec::new(),
            check: verdict.check,
            sentences: sentences(page, verdict).iter().map(|it| visible(it)).collect(),
            panicked_at: panic
                .and_then(|panic| on_the_page(page, panic))
                .or_else(|| calls.first().map(|call| call.place.clone())),
            calls,
            calls_title: if is_borrowed {
                "The calls in your page that led to the panic, latest first; one of them \
                 probably still holds the borrow:"
            } else {
                "The calls in your page that led to the panic, latest first:"
            },
            advice: verdict.advice(&page.step),
            difference: (!verdict.is_as_expected()).then(|| {
                Difference::between(lines_before, &verdict.expected, &verdict.run.transcript)
            }),
            printed: printed.lines().take(PRINTED_LINES).map(cut).collect(),
            printed_more: match verdict.run.cut {
                0 if lines > PRINTED_LINES => {
                    Some(format!("… cut: {}", count(lines - PRINTED_LINES, "more line")))
                }
                0 => None,
                cut => Some(format!("… cut: {cut} more bytes")),
            },
            nudge: None,
        }
    }

    /// Returns true if there's a difference and it comes from a trial, whose program is normally
    /// shortened.
    pub(crate) fn is_shortened(&self) -> bool {
        self.difference.is_some() && self.check.kind == CheckKind::Trial
    }
}

/// Returns the exercise's hint for the mistake that a verdict shows, if the exercise has such a
/// hint.
pub(crate) fn nudge_for<'a>(exercise: &'a Exercise, verdict: &Verdict) -> Option<&'a str> {
    let (seen, missing) = (verdict.first_wrong_line(), verdict.first_missing_line());
    let fits = |nudge: &&Nudge| {
        nudge.at == verdict.check.name
            && seen.contains(&nudge.sees)
            && missing.contains(&nudge.misses)
    };
    exercise.nudges.iter().find(fits).map(|nudge| &*nudge.hint)
}

/// Returns a sentence about a scene that got stuck or didn't end. The sentence introduces the
/// report on a trial, which shows more.
fn without_an_end(step: &Step, scene: &Verdict) -> String {
    let name = scene.check.name;
    let fault = scene.run.faults.first().filter(|_| scene.did_not_end());
    let what = match (fault, scene.advice(step)) {
        (Some(fault), _) => format!("The scene {name} didn't end: {fault}."),
        (None, Some(advice)) => format!("In the scene {name}, lines are missing. {advice}"),
        (None, None) => format!("In the scene {name}, lines are missing."),
    };
    format!("{what} A trial shows more:")
}

fn noticed(later: &Exercise, at_fault: &Exercise) -> String {
    format!(
        "The checks of {number} {name} are green, but a check of {later_number} {later_name} isn't. \
         With the reference's bodies up to {number} {name}, that check is green, too.",
        later_number = later.number,
        later_name = later.name,
        number = at_fault.number,
        name = at_fault.name,
    )
}

fn sentences(page: &Page, verdict: &Verdict) -> Vec<String> {
    let faults: Vec<Fault> = verdict.run.faults.iter().map(|it| located(page, it)).collect();
    let mut sentences = verdict.sentences_of(&faults);
    if let Some(Fault::NotWritten(panic)) = faults.first() {
        sentences[0] = not_written(page, panic, verdict);
    }
    sentences
}

/// Returns a sentence that says that a scene or trial reached a `todo!`. The sentence leaves out
/// the exercise's task: the task of the red exercise is already shown above, and a later exercise's
/// task would be revealed too early. A lower layer's `todo!` is reported in full.
fn not_written(page: &Page, panic: &Panic, verdict: &Verdict) -> String {
    let name = verdict.check.name;
    let Panic { file, line, .. } = panic;
    match page.step.exercises.iter().find(|exercise| is_of(panic, exercise)) {
        Some(Exercise { scenes, trials, .. })
            if scenes.iter().chain(trials).any(|it| it == name) =>
        {
            format!("not written yet: the `todo!` at {file}:{line}")
        }
        Some(Exercise { number, name, .. }) => format!(
            "called `{name}` ({file}:{line}). That's exercise {number}, which comes later: once \
             the body of the exercise above is right, `{name}` is no longer called here"
        ),
        None => Fault::NotWritten(panic.clone()).to_string(),
    }
}

/// Replaces a fault's file name with the path that the reader would type, if the file exists, or
/// with `library/…` for a file of std. rustc's file names are relative to the notebook.
fn located(page: &Page, fault: &Fault) -> Fault {
    let mut fault = fault.clone();
    if let Fault::NotWritten(panic) | Fault::Panicked(panic) = &mut fault {
        let file = without_dots(&page.notebook.dir.join(&panic.file));
        if let Some((_, in_std)) = panic.file.split_once("/library/") {
            panic.file = format!("library/{in_std}");
        } else if file.exists() {
            panic.file = shown(&file);
        }
    }
    fault
}

/// Returns the place of a panic, if the panic occurred on the page.
fn on_the_page(page: &Page, panic: &Panic) -> Option<Place> {
    let file = without_dots(&page.notebook.dir.join(&panic.file));
    let is_it = page.files.iter().any(|source| source.path == file);
    is_it.then(|| Place { file: shown(&file), line: panic.line.parse().ok() })
}

/// Lists the calls on the reader's page that led to a panic, innermost first: the last call and the
/// calls in the exercises' functions. Leaves out the calls in between, which belong to given parts
/// of the layer or to the reader's own helpers.
fn own_calls(page: &Page, panic: &Panic) -> Vec<OwnCall> {
    let here = std::env::current_dir().unwrap_or_default();
    let src = without_dots(&here.join(page.dir()).join("src"));
    let own = panic.calls.iter().map(|call| (without_dots(&here.join(&call.file)), call));
    let mut own: Vec<_> = own.filter(|(file, _)| file.starts_with(&src)).collect();
    own.dedup_by(|(file, call), (last_file, last)| {
        (file, &call.function) == (last_file, &last.function)
    });
    let mut calls: Vec<OwnCall> = Vec::new();
    let mut skipped = 0;
    for (file, Call { function, line, .. }) in own {
        // Functions in other files of the layer can have an exercise's name, such as `poll`.
        let is_in_the_file = |it: &&Exercise| {
            page.exercise(it)
                .is_ok_and(|it| without_dots(&here.join(&page.file_of(it).path)) == file)
        };
        let mut named = page.step.exercises.iter().filter(|it| it.name == *function);
        let exercise = named.find(is_in_the_file);
        if !calls.is_empty() && exercise.is_none() {
            skipped += 1;
            continue;
        }
        calls.push(OwnCall {
            place: Place { file: shown(&file), line: line.parse().ok() },
            function: function.clone(),
            exercise: exercise.map(|it| &*it.number),
            skipped: std::mem::take(&mut skipped),
        });
    }
    calls
}
