//! The code that `serve` and `play` run: the reader's page once it's complete, and the reference
//! until then. A line on standard error says whose code is running, because the code's own output
//! doesn't show that.

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::arguments::Form;
use crate::events;
use judging::Step;
use judging::cargo::{Built, Messages, Profile, build_program};
use judging::notebook::Notebook;
use judging::notebook::page::Page;
use judging::notebook::standing::Standing;
use judging::stages::{lack, program_with, stage_of};
use judging::terminal::count;
use judging::workbook::{called, whose_layers};

/// Builds the reader's page for a step, even if bodies are missing. Returns the page's program and
/// a phrase about the code that runs. Sends the compiler's messages to another program as events.
pub fn build_own(step: &Step) -> anyhow::Result<(PathBuf, String)> {
    let Chosen { page, runs } = choose(step, Whose::Mine, Form::Json, None)?;
    Ok((page.context("a page has a program")?, runs))
}

/// The code that the reader wants to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The page if it's complete, and otherwise the reference.
    Complete,
    /// The page, even if bodies are missing.
    Mine,
    /// The reference.
    Reference,
}

/// The code that was chosen to run.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The page's program. `None` stands for the reference, which is this program.
    pub(crate) page: Option<PathBuf>,
    /// A phrase that says whose code runs.
    pub(crate) runs: String,
}

impl Chosen {
    pub(crate) fn whose(&self) -> &'static str {
        if self.page.is_some() { "yours" } else { "reference" }
    }

    pub(crate) fn program(self) -> anyhow::Result<PathBuf> {
        self.page.map_or_else(|| std::env::current_exe().context("find this program"), Ok)
    }
}

/// Chooses the code to run and, if that's the reader's page, builds the page. `scene` is the scene
/// to play, if any.
pub(crate) fn choose(
    step: &Step,
    whose: Whose,
    form: Form,
    scene: Option<&str>,
) -> anyhow::Result<Chosen> {
    let called = called(step.package);
    if whose == Whose::Reference {
        return Ok(Chosen { page: None, runs: format!("the reference's {called}") });
    }
    let reference =
        |why: String| Ok(Chosen { page: None, runs: format!("{why}; this is the reference") });
    let is_asked_for = whose == Whose::Mine;
    let notebook = Notebook::of_step(step)?;
    if !notebook.page(step.package).is_dir() {
        let none = format!("you have no page of {called} yet");
        if is_asked_for {
            bail!("{none}. Begin with: {}", notebook.typed(Some(step.package), ""));
        }
        return reference(none);
    }
    let (page, _) = notebook.open(step)?;
    let (standing, profile) = (notebook.standing(step.package)?, Profile::of_this_program());
    let why_not = standing.why_not_complete().filter(|_| !is_asked_for);
    if let Some(why) = why_not {
        return reference(format!("your page of {called} {why}"));
    }
    let stage = scene.filter(|_| step.is_from_scratch()).map(|scene| stage_of(step, scene));
    let messages = match stage {
        None if is_asked_for => events::compiling(form, step.package),
        _ => Messages::Kept,
    };
    let program = match scene {
        Some(scene) if step.is_from_scratch() => ("--example", &*program_with(step, scene)),
        _ => ("--bin", step.package),
    };
    match build_program(&notebook, step.package, program, messages, profile)? {
        Built::Program(program, _) => {
            Ok(Chosen { page: Some(program), runs: described(&page, &standing)? })
        }
        Built::DoesNotCompile(failure) if is_asked_for => {
            let lack = stage.and_then(|stage| lack(&failure, stage));
            bail!("{}", lack.map_or_else(|| failure.sentence(&page), |it| it.words))
        }
        Built::DoesNotCompile(failure) => {
            let is_at_fault = failure.package == Some(page.dir());
            let why = if is_at_fault { "doesn't compile" } else { "can't be built" };
            reference(format!("your page of {called} {why}"))
        }
    }
}

/// Returns a phrase about the code that runs: the reader's page, its state, and the layers below
/// it.
fn described(page: &Page, standing: &Standing) -> anyhow::Result<String> {
    let notebook = &page.notebook;
    let own = notebook.own_layers()?;
    let under = notebook.layers_under(page.step.package)?;
    let (yours, references): (Vec<String>, Vec<String>) =
        under.into_iter().partition(|layer| own.contains(layer));
    let layers = whose_layers(&yours, &references);
    let mut text = format!("your {}", called(page.step.package));
    let given = page.step.exercises.iter().filter(|it| page.is_given(it)).count();
    if given > 0 {
        text += &format!(" ({given} of its exercises given)");
    }
    if !layers.is_empty() {
        text += &format!(" on {layers}");
    }
    Ok(match standing {
        Standing::Left(todos) => {
            let left = count(*todos, "`todo!`");
            let which = if *todos == 1 { "it" } else { "one of them" };
            format!("{text}, with {left} left: a call to {which} panics")
        }
        Standing::Complete { is_judged: false } => format!("{text}, not judged in this state"),
        Standing::Red(_) => format!("{text}, which isn't green"),
        _ => text,
    })
}
