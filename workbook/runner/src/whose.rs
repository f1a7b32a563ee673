//! Whose code `serve` and `play` run: the reader's page as soon as it's complete, and until then the
//! reference. A line on standard error says which, because the two look alike.

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::Step;
use crate::arguments::Form;
use crate::cargo::{Built, Messages, Profile, build_page};
use crate::notebook::Notebook;
use crate::notebook::fit::Misfit;
use crate::notebook::page::Page;
use crate::notebook::standing::Standing;
use crate::terminal::count;
use crate::workbook::{called, numbers};

/// Builds the reader's page of a step as it is, and returns its program and a sentence that says which
/// layers it runs. Another program is told what the compiler says, as events.
pub fn build_own(step: &Step) -> anyhow::Result<(PathBuf, String)> {
    let Chosen { page, runs } = mine(step, Form::Json)?;
    Ok((page.context("a page has a program")?, runs))
}

/// The reader's wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The page if it's complete.
    Complete,
    /// The page, even if bodies are missing.
    Mine,
    /// The reference.
    Reference,
}

/// What's to run.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The page's program. `None` stands for the reference, which is this program.
    pub(crate) page: Option<PathBuf>,
    /// Says which layers run.
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

/// Chooses the code.
pub(crate) fn choose(step: &Step, whose: Whose, form: Form) -> anyhow::Result<Chosen> {
    match whose {
        Whose::Reference => {
            Ok(Chosen { page: None, runs: format!("the reference's {}", called(step.package)) })
        }
        Whose::Mine => mine(step, form),
        Whose::Complete => mine_if_complete(step),
    }
}

fn mine_if_complete(step: &Step) -> anyhow::Result<Chosen> {
    let called = called(step.package);
    let reference =
        |why: String| Ok(Chosen { page: None, runs: format!("{why}; this is the reference") });
    let notebook = Notebook::of_step(step)?;
    if !notebook.page(step.package).is_dir() {
        return reference(format!("you have no page of {called} yet"));
    }
    let page = match notebook.open(step) {
        Ok((page, _)) => page,
        Err(error) if error.is::<Misfit>() => return reference(error.to_string()),
        Err(error) => return Err(error),
    };
    let (standing, profile) = (notebook.standing(step.package)?, Profile::of_this_program());
    if let Some(why) = standing.why_not_complete() {
        return reference(format!("your page of {called} {why}"));
    }
    match build_page(&notebook, step.package, Messages::Kept, profile)? {
        Built::Program(program, _) => {
            Ok(Chosen { page: Some(program), runs: described(&page, &standing)? })
        }
        Built::DoesNotCompile(_) => reference(format!("your page of {called} doesn't compile")),
    }
}

fn mine(step: &Step, form: Form) -> anyhow::Result<Chosen> {
    let notebook = Notebook::of_step(step)?;
    if !notebook.page(step.package).is_dir() {
        let begin = notebook.typed(Some(step.package), "");
        bail!("you have no page of {} yet. Begin with: {begin}", called(step.package));
    }
    let (page, _) = notebook.open(step)?;
    let (standing, profile) = (notebook.standing(step.package)?, Profile::of_this_program());
    let messages = Messages::in_form(form, step.package);
    match build_page(&notebook, step.package, messages, profile)? {
        Built::Program(program, _) => {
            Ok(Chosen { page: Some(program), runs: described(&page, &standing)? })
        }
        Built::DoesNotCompile(failure) => bail!("{}", failure.sentence(&page)),
    }
}

/// Describes the code that runs with the reader's page.
fn described(page: &Page, standing: &Standing) -> anyhow::Result<String> {
    let notebook = &page.notebook;
    let own = notebook.own_layers()?;
    let under = notebook.layers_under(page.step.package)?;
    let (yours, references): (Vec<&str>, Vec<&str>) =
        under.iter().map(String::as_str).partition(|layer| own.iter().any(|own| own == layer));
    let layers = [("your", yours), ("the reference's", references)];
    let layers = layers.iter().filter(|(_, layers)| !layers.is_empty());
    let layers: Vec<String> =
        layers.map(|(owner, layers)| format!("{owner} {}", numbers(layers))).collect();
    let mut text = format!("your {}", called(page.step.package));
    let given = page.step.exercises.iter().filter(|it| page.is_given(it)).count();
    if given > 0 {
        text += &format!(" ({given} of its exercises given)");
    }
    if !layers.is_empty() {
        text += &format!(" on {}", layers.join(" and "));
    }
    Ok(match standing {
        Standing::Left(todos) => {
            let left = count(*todos, "exercise");
            format!("{text}, with {left} left to write: it'll panic when it calls one")
        }
        Standing::Complete { is_judged: false } => format!("{text}, not judged in this state"),
        Standing::Red(_) => format!("{text}, which isn't green"),
        _ => text,
    })
}
