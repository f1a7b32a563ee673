//! The results, with a row for each notebook, as a table or as JSON.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limits::Limits;
use judging::terminal::{Terminal, count, cut, visible};
use judging::workbook::number;
use runner::json::Json;
use runner::{events, object};

/// The outcome for a notebook.
pub(super) struct Row {
    pub(super) notebook: PathBuf,
    /// The outcome of each step, or the reason why the notebook couldn't be read.
    pub(super) steps: Result<Vec<PageOutcome>, String>,
    pub(super) took: Duration,
}

/// The outcome for a page, as the page's judge reports it and as another program receives it.
#[derive(Serialize, Deserialize)]
pub(super) struct PageOutcome {
    pub(super) step: String,
    /// The judge's findings, or `None` if the page wasn't judged.
    #[serde(flatten)]
    pub(super) judged: Option<JudgedPage>,
    pub(super) state: String,
    pub(super) why: String,
    /// Messages about the bodies from an older page that aren't on the current page, for instance
    /// because their exercises were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kept: Vec<String>,
}

/// The findings of a page's judge.
#[derive(Serialize, Deserialize)]
pub(super) struct JudgedPage {
    pub(super) passed: usize,
    /// The number of exercises, without the optional ones that aren't written.
    pub(super) exercises: usize,
    /// The number and the name of the first exercise that isn't green.
    pub(super) first: Option<String>,
    pub(super) name: Option<String>,
    /// The name of the red scene or trial of the first exercise that isn't green.
    pub(super) check: Option<String>,
    /// The lines that are worth a look, whatever the page's state.
    pub(super) look: Vec<String>,
    pub(super) seconds: f64,
}

/// The state of a page that wasn't handed in.
const NO_PAGE: &str = "no page";
/// The state of a page whose judge didn't finish.
const NOT_JUDGED: &str = "not judged";

impl PageOutcome {
    pub(super) fn new(step: &str, judged: Option<JudgedPage>, state: &str, why: String) -> Self {
        let (step, state) = (step.to_owned(), state.to_owned());
        PageOutcome { step, judged, state, why, kept: Vec::new() }
    }

    pub(super) fn without_page(step: &str) -> PageOutcome {
        PageOutcome::new(step, None, NO_PAGE, String::new())
    }

    pub(super) fn not_judged(step: &str, why: String) -> PageOutcome {
        PageOutcome::new(step, None, NOT_JUDGED, why)
    }

    /// Adds the messages about bodies that aren't on the current page.
    pub(super) fn with_kept<'a>(mut self, lines: impl Iterator<Item = &'a String>) -> Self {
        self.kept.extend(lines.cloned());
        self
    }

    fn passed(&self) -> usize {
        self.judged.as_ref().map_or(0, |judged| judged.passed)
    }

    /// Returns the number and the name of the first exercise that isn't green.
    fn first(&self) -> Option<String> {
        let JudgedPage { first, name, .. } = self.judged.as_ref()?;
        Some(format!("{} {}", first.as_ref()?, name.as_ref()?))
    }

    /// Returns the text for the page's cell in the table.
    fn cell(&self) -> String {
        match &self.judged {
            Some(JudgedPage { passed, exercises, .. }) => format!("{passed}/{exercises}"),
            None if self.state == NO_PAGE => "–".to_owned(),
            None => "?".to_owned(),
        }
    }

    /// Returns the notes on a page. The first note says what's wrong with the first exercise that
    /// isn't green, unless that exercise isn't written yet, or why the page wasn't judged. The
    /// other notes are the lines that are worth a look and the messages about older bodies.
    fn notes(&self) -> Vec<String> {
        let is_quiet = ["green", "not written", NO_PAGE].contains(&&*self.state);
        let exercise = self.first().unwrap_or_else(|| self.step.clone());
        let why = cut(&visible(self.why.lines().next().unwrap_or_default()));
        let red = (!is_quiet).then(|| match why.as_str() {
            "" => format!("{exercise} {}", self.state),
            why => format!("{exercise} {}: {why}", self.state),
        });
        let look = self.judged.iter().flat_map(|judged| &judged.look);
        let look = look.map(|line| format!("look at {}/{}", self.step, cut(&visible(line))));
        let kept = self.kept.iter().map(|line| format!("{}: {}", self.step, visible(line)));
        red.into_iter().chain(look).chain(kept).collect()
    }
}

impl Row {
    fn name(&self) -> String {
        visible(&self.notebook.display().to_string())
    }

    fn passed(&self) -> usize {
        self.steps.iter().flatten().map(PageOutcome::passed).sum()
    }

    /// Returns the first exercise that isn't green in the first handed-in page that isn't green, or
    /// the step's name if that exercise isn't known.
    fn first(&self) -> String {
        let steps = self.steps.as_ref().map(Vec::as_slice).unwrap_or_default();
        let red = steps.iter().find(|step| step.state != "green" && step.state != NO_PAGE);
        red.map(|step| step.first().unwrap_or_else(|| step.step.clone())).unwrap_or_default()
    }

    /// Formats a notebook's outcome on one line, which we show as soon as the outcome is known.
    pub(super) fn in_short(&self) -> String {
        let seconds = self.took.as_secs_f64();
        match &self.steps {
            Ok(_) => format!("{}: {} passed, in {seconds:.1} s", self.name(), self.passed()),
            Err(why) => format!("{}: {}", self.name(), visible(why)),
        }
    }
}

/// Formats the table and, below it, the notes on each notebook.
pub(super) fn table(rows: &[Row], limits: &Limits, terminal: &Terminal, took: Duration) -> String {
    let steps = rows.iter().find_map(|row| row.steps.as_ref().ok());
    let numbers = steps.map(|steps| steps.iter().map(|step| number(&step.step)).collect());
    let numbers: Vec<&str> = numbers.unwrap_or_default();
    let mut lines = vec![header(&numbers)];
    lines.extend(rows.iter().map(|row| cells(row, numbers.len())));
    let columns = lines[0].len();
    let widest = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
    let mut text =
        limits.warning().map_or(String::new(), |warning| format!("{}\n", terminal.bold(warning)));
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    for row in rows {
        text += &notes(row, terminal);
    }
    let notebooks = count(rows.len(), "notebook");
    text + &format!("\n{notebooks} in {:.0} s\n", took.as_secs_f64())
}

fn header(steps: &[&str]) -> Vec<String> {
    let names = ["notebook"].into_iter().chain(steps.iter().copied());
    names.chain(["total", "first exercise not green"]).map(str::to_owned).collect()
}

fn cells(row: &Row, steps: usize) -> Vec<String> {
    let mut cells = vec![row.name()];
    match &row.steps {
        Ok(steps) => cells.extend(steps.iter().map(PageOutcome::cell)),
        Err(_) => cells.extend((0..steps).map(|_| "?".to_owned())),
    }
    cells.extend([row.passed().to_string(), row.first()]);
    cells
}

fn notes(row: &Row, terminal: &Terminal) -> String {
    let notes: Vec<String> = match &row.steps {
        Ok(steps) => steps.iter().flat_map(PageOutcome::notes).collect(),
        Err(why) => vec![visible(why)],
    };
    let lines = notes.iter().map(|note| terminal.wrap_hanging("  ", "      ", note));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{}\n{lines}", terminal.bold(&row.name())) }
}

/// Formats the rows for another program, as JSON, with the seed and the limits that held.
pub(super) fn told(rows: &[Row], seed: u32, limits: &Limits) -> anyhow::Result<String> {
    let notebook = |row: &Row| -> anyhow::Result<Json> {
        let steps: Vec<&PageOutcome> = row.steps.iter().flatten().collect();
        Ok(object! {
            notebook: row.notebook.display().to_string(),
            passed: row.passed(),
            first: row.first(),
            seconds: row.took.as_secs_f64(),
            error: row.steps.as_ref().err(),
            steps: Json::parsed(&serde_json::to_string(&steps)?)?,
        })
    };
    let notebooks: Vec<Json> = rows.iter().map(notebook).collect::<anyhow::Result<_>>()?;
    let fields = object! {
        seed: seed,
        sandbox: limits.has_sandbox,
        limited: limits.active(),
        not_limited: limits.missing(),
        notebooks: notebooks,
    };
    Ok(events::line("grades", fields))
}
