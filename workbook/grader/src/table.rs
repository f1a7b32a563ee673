//! The results, with a row for each notebook, as a table or as JSON.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use tinyjson::JsonValue;

use super::limits::Limits;
use judging::terminal::{Terminal, count, cut, visible};
use runner::json::Json;
use runner::{events, object};

type Object = HashMap<String, JsonValue>;

/// The outcome for a notebook.
pub(super) struct Row {
    pub(super) notebook: PathBuf,
    /// The outcome of each step, or the reason why the notebook couldn't be read.
    pub(super) steps: Result<Vec<PageOutcome>, String>,
    pub(super) took: Duration,
}

/// The outcome for a page.
pub(super) struct PageOutcome {
    package: String,
    passed: u32,
    /// The number of exercises, or `None` if the page wasn't judged.
    exercises: Option<u32>,
    /// The number and the name of the first exercise that isn't green, and its state.
    first: Option<String>,
    state: String,
    why: String,
    /// The lines that are worth a look, regardless of the state.
    look: Vec<String>,
    /// The messages about bodies from an older page that aren't on the up-to-date page, for
    /// instance because their exercises are gone.
    kept: Vec<String>,
    /// The judge's output.
    said: Json,
}

/// The state of a page that wasn't handed in.
const NO_PAGE: &str = "no page";
/// The state of a page whose judge didn't finish.
const NOT_JUDGED: &str = "not judged";

impl PageOutcome {
    pub(super) fn without_page(package: &str) -> PageOutcome {
        PageOutcome::with_state(package, NO_PAGE, String::new())
    }

    pub(super) fn not_judged(package: &str, why: String) -> PageOutcome {
        PageOutcome::with_state(package, NOT_JUDGED, why)
    }

    /// Adds the messages about bodies that aren't on the current page.
    pub(super) fn with_kept<'a>(mut self, lines: impl Iterator<Item = &'a String>) -> Self {
        self.kept.extend(lines.cloned());
        self
    }

    fn with_state(package: &str, state: &str, why: String) -> PageOutcome {
        let said = object! { step: package, state: state, why: &why };
        PageOutcome {
            package: package.to_owned(),
            passed: 0,
            exercises: None,
            first: None,
            state: state.to_owned(),
            why,
            look: Vec::new(),
            kept: Vec::new(),
            said,
        }
    }

    /// Parses a judge's output about a page.
    pub(super) fn parse(json: &str) -> anyhow::Result<PageOutcome> {
        let said: JsonValue = json.trim().parse().context("parse JSON")?;
        let said: &Object = said.get().context("no object")?;
        let text = |name: &str| said.get(name).and_then(JsonValue::get::<String>).cloned();
        let texts = |name: &str| -> Vec<String> {
            let list = said.get(name).and_then(JsonValue::get::<Vec<JsonValue>>);
            list.into_iter().flatten().filter_map(|it| it.get::<String>().cloned()).collect()
        };
        // The number is a count of exercises, of which a page has only a few.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let number =
            |name: &str| said.get(name).and_then(JsonValue::get::<f64>).map(|it| *it as u32);
        let first =
            text("first").map(|first| format!("{first} {}", text("name").unwrap_or_default()));
        Ok(PageOutcome {
            package: text("step").context("no step")?,
            passed: number("passed").context("no number")?,
            exercises: number("exercises"),
            first,
            state: text("state").context("no state")?,
            why: text("why").unwrap_or_default(),
            look: texts("look"),
            kept: Vec::new(),
            said: Json::parsed(json)?,
        })
    }

    /// Returns the text for the page's cell in the table.
    fn cell(&self) -> String {
        match self.exercises {
            Some(all) => format!("{}/{all}", self.passed),
            None if self.state == NO_PAGE => "–".to_owned(),
            None => "?".to_owned(),
        }
    }

    /// Returns the notes on a page: the reason why the first exercise isn't green, unless the
    /// reader hasn't got this far, and the lines that are worth a look.
    fn notes(&self) -> Vec<String> {
        let is_quiet = ["green", "not written", NO_PAGE].contains(&&*self.state);
        let exercise = self.first.as_deref().unwrap_or(&self.package);
        let why = cut(&visible(self.why.lines().next().unwrap_or_default()));
        let red = (!is_quiet).then(|| match why.as_str() {
            "" => format!("{exercise} {}", self.state),
            why => format!("{exercise} {}: {why}", self.state),
        });
        let look = self
            .look
            .iter()
            .map(|line| format!("look at {}/{}", self.package, cut(&visible(line))));
        let kept = self.kept.iter().map(|line| format!("{}: {}", self.package, visible(line)));
        red.into_iter().chain(look).chain(kept).collect()
    }
}

impl Row {
    fn name(&self) -> String {
        visible(&self.notebook.display().to_string())
    }

    fn passed(&self) -> u32 {
        self.steps.iter().flatten().map(|step| step.passed).sum()
    }

    /// Returns the first exercise that isn't green in the first step that isn't green.
    fn first(&self) -> String {
        let steps = self.steps.as_ref().map(Vec::as_slice).unwrap_or_default();
        let red = steps.iter().find(|step| step.state != "green" && step.state != NO_PAGE);
        red.map(|step| step.first.clone().unwrap_or_else(|| step.package.clone()))
            .unwrap_or_default()
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
    let numbers = steps.map(|steps| steps.iter().map(|step| number(&step.package)).collect());
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

/// Returns a step's number: `03` for `step03_selector`.
fn number(package: &str) -> &str {
    let name = package.strip_prefix("step").unwrap_or(package);
    name.split_once('_').map_or(name, |(number, _)| number)
}

fn header(steps: &[&str]) -> Vec<String> {
    let names = ["notebook"].into_iter().chain(steps.iter().copied());
    names.chain(["total", "first that isn't green"]).map(str::to_owned).collect()
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

/// Formats the rows for another program, with the seed and the limits that held.
pub(super) fn told(rows: &[Row], seed: u32, limits: &Limits) -> String {
    let notebooks = rows.iter().map(|row| {
        let steps = row.steps.iter().flatten().map(|step| {
            let kept = object! { kept: Json::list(&step.kept) };
            if step.kept.is_empty() { step.said.clone() } else { step.said.clone().and(kept) }
        });
        object! {
            notebook: row.notebook.display().to_string(),
            passed: row.passed(),
            first: row.first(),
            seconds: row.took.as_secs_f64(),
            error: row.steps.as_ref().err(),
            steps: Json::list(steps),
        }
    });
    let fields = object! {
        seed: seed,
        sandbox: limits.has_sandbox,
        limited: limits.active(),
        not_limited: limits.missing(),
        notebooks: Json::list(notebooks),
    };
    events::line("grades", fields)
}
