//! Finds out how complete a page is. A complete page can replace the reference as a layer and in
//! the workbook's programs.

use super::Notebook;
use super::source::read_sources;
use super::source::todos;
use crate::progress::noted;
use crate::terminal::count;

/// The state of a page, as far as we can tell without building the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// There's no page yet.
    NotBegun,
    /// Some `todo!`s are left on the page. Contains their number.
    Left(usize),
    /// All bodies are written, but the page as it is now was judged red. Contains the first red
    /// exercise, unless the red scene judges no exercise.
    Red(Option<String>),
    /// All bodies are written, and the workbook hasn't found a mistake in the page as it is now.
    Complete {
        /// True if the page was judged green and hasn't changed since.
        is_judged: bool,
    },
}

impl Standing {
    /// Returns the reason why a page isn't complete, as the end of a sentence about the page, or
    /// `None` if the page is complete.
    pub fn why_not_complete(&self) -> Option<String> {
        match self {
            Standing::NotBegun => Some("hasn't been started".to_owned()),
            Standing::Left(todos) => Some(format!("has {} left", count(*todos, "`todo!`"))),
            Standing::Red(Some(exercise)) => Some(format!("isn't green: {exercise} is red")),
            Standing::Red(None) => Some("isn't green: one of its scenes is red".to_owned()),
            Standing::Complete { .. } => None,
        }
    }
}

impl Notebook {
    /// Returns the state of a page.
    pub fn standing(&self, package: &str) -> anyhow::Result<Standing> {
        let src = self.page(package).join("src");
        if !src.is_dir() {
            return Ok(Standing::NotBegun);
        }
        let left = read_sources(&src)?.iter().map(|(_, text)| todos(text)).sum();
        let judged = noted(self, package).filter(|progress| progress.is_current);
        Ok(match judged {
            _ if left > 0 => Standing::Left(left),
            Some(progress) if !progress.is_green => Standing::Red(progress.first_red),
            judged => Standing::Complete { is_judged: judged.is_some() },
        })
    }
}
