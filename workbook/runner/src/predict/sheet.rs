//! The sheet that a reader fills in: the lines of a transcript, with blanks for what to predict.
//!
//! If a scene does one thing after the other, its code says what each line is about, and the values
//! are the question. If it makes tasks or callbacks, the order of the lines is a question, too: then
//! the lines are whole blanks, and the formats in the code are listed with letters to choose from.

use std::collections::BTreeSet;

use super::columns::columns;
use super::source::{SceneSource, Text};
use super::template::{BLANK, Part, Template};

/// The lines of a transcript, as they're asked for.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// All lines, in order.
    pub(crate) lines: Vec<Line>,
    /// The lines to choose from, if their order is a question: `a`, `b` and so on.
    pub(crate) choices: Vec<String>,
    /// Other outcomes that the scene could have reported.
    pub(crate) outcomes: BTreeSet<String>,
}

/// A line of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The whole line, as the scene prints it.
    pub(crate) text: String,
    /// The line with blanks.
    pub(crate) asked: String,
    /// The values for the blanks. Without any, the line is given.
    pub(crate) values: Vec<String>,
    /// The index of its choice, if the whole line is asked for.
    pub(crate) choice: Option<usize>,
}

impl Line {
    /// Returns true if there's something to predict in it.
    pub(crate) fn is_asked(&self) -> bool {
        !self.values.is_empty() || self.choice.is_some()
    }
}

/// A line, held against the template that made it.
struct Matched {
    line: String,
    by: Option<MadeBy>,
}

/// The template that made a line.
struct MadeBy {
    template: Template,
    /// Its place in the source.
    at: usize,
    /// The parts of the line.
    parts: Vec<Part>,
}

impl Sheet {
    /// Makes the sheet of a scene from its source and its expected transcript.
    pub(crate) fn new(source: &SceneSource, transcript: &str) -> Sheet {
        let matched: Vec<Matched> = transcript
            .lines()
            .map(|line| Matched { line: line.to_owned(), by: made_by(line, &source.strings) })
            .collect();
        let outcomes = source.strings.iter().filter(|text| !text.is_label);
        let outcomes = outcomes.map(|text| text.value.clone()).collect();
        let lines: Vec<Line> = matched.iter().map(|it| with_values(it, source)).collect();
        let is_given_away = !lines.iter().any(Line::is_asked);
        if is_given_away || (source.schedules && jumps_back(&matched)) {
            return ordered(&matched, source, outcomes);
        }
        Sheet { lines, choices: Vec::new(), outcomes }
    }

    /// Returns the number of lines that are asked for.
    pub(crate) fn asked(&self) -> usize {
        self.lines.iter().filter(|line| line.is_asked()).count()
    }
}

/// Finds the template that made a line: of those that fit, the one with the most fixed text, and
/// rather one of the scene's own file.
fn made_by(line: &str, strings: &[Text]) -> Option<MadeBy> {
    let fitting = strings.iter().filter_map(|text| {
        let template = Template::parse(&text.value);
        let parts = template.split(line).filter(|_| template.fixed() > 0)?;
        let rank = (text.is_near, template.fixed(), std::cmp::Reverse(text.at));
        Some((rank, MadeBy { template, at: text.at, parts }))
    });
    fitting.max_by_key(|(rank, _)| *rank).map(|(_, made_by)| made_by)
}

/// Makes a line of which the values are asked for.
fn with_values(matched: &Matched, source: &SceneSource) -> Line {
    let text = matched.line.clone();
    let Some(MadeBy { parts, .. }) = &matched.by else { return in_columns(text, source) };
    let mut asked = String::new();
    let mut values = Vec::new();
    let holes = parts.iter().filter(|part| matches!(part, Part::Value(..))).count();
    let mut is_first = true;
    for part in parts {
        match part {
            Part::Text(fixed) => asked += fixed,
            Part::Value(value, name) => {
                let word = value.trim();
                let is_given = is_first && holes > 1 && is_label(word, name, source);
                if is_given || word.is_empty() {
                    asked += value;
                } else {
                    let padding = &value[value.trim_end().len()..];
                    asked += BLANK;
                    asked += if padding.is_empty() { "" } else { " " };
                    values.push(word.to_owned());
                }
                is_first = false;
            }
        }
    }
    Line { text, asked, values, choice: None }
}

/// Makes a line that no template has made: the code puts it together from several strings. What stands
/// before a colon, or in a column that the code passes on as it is, says what the others are about.
fn in_columns(text: String, source: &SceneSource) -> Line {
    let mut asked = String::new();
    let mut values = Vec::new();
    for column in columns(&text) {
        let word = column.trim();
        let is_passed_on = source.strings.iter().any(|it| it.is_label && it.value.trim() == word);
        if word.is_empty() || word.ends_with(':') || is_passed_on {
            asked += column;
        } else {
            let padding = if column.ends_with(' ') { " " } else { "" };
            asked += &format!("{BLANK}{padding}");
            values.push(word.to_owned());
        }
    }
    Line { text, asked, values, choice: None }
}

/// Returns true if a value only says which line this is: the code passes it on as it is, or counts.
fn is_label(value: &str, name: &str, source: &SceneSource) -> bool {
    let is_counted = !name.is_empty() && source.code.contains(&format!("for {name} in "));
    let passed_on = source.strings.iter().filter(|text| text.is_near && text.value == value);
    let passed_on: Vec<&Text> = passed_on.collect();
    is_counted || (!passed_on.is_empty() && passed_on.iter().all(|text| text.is_label))
}

/// Returns true if a line comes after one that stands behind it in the source.
fn jumps_back(matched: &[Matched]) -> bool {
    let places: Vec<usize> =
        matched.iter().filter_map(|it| it.by.as_ref().map(|made_by| made_by.at)).collect();
    places.windows(2).any(|pair| pair[1] < pair[0])
}

/// Makes a sheet on which every line is asked for as a whole.
fn ordered(matched: &[Matched], source: &SceneSource, outcomes: BTreeSet<String>) -> Sheet {
    let made = matched.iter().filter_map(|it| it.by.as_ref());
    let made = made.map(|made_by| made_by.template.with_blanks());
    let seen = source.strings.iter().filter(|text| text.is_a_seen_line);
    let seen = seen.map(|text| Template::parse(&text.value));
    let seen = seen.filter(|template| template.fixed() > 0).map(|template| template.with_blanks());
    let choices: BTreeSet<String> = made.chain(seen).collect();
    let choices: Vec<String> = choices.into_iter().take(LETTERS.len()).collect();
    let line = |it: &Matched| {
        let values = |parts: &[Part]| -> Vec<String> {
            let values = parts.iter().filter_map(|part| match part {
                Part::Value(value, _) => Some(value.trim().to_owned()),
                Part::Text(_) => None,
            });
            values.filter(|value| !value.is_empty()).collect()
        };
        let template = it.by.as_ref().map(|made_by| made_by.template.with_blanks());
        Line {
            text: it.line.clone(),
            asked: BLANK.to_owned(),
            values: match &it.by {
                Some(made_by) => values(&made_by.parts),
                None => vec![it.line.trim().to_owned()],
            },
            choice: template.and_then(|it| choices.iter().position(|choice| *choice == it)),
        }
    };
    let lines = matched.iter().map(line).collect();
    Sheet { lines, choices, outcomes }
}

/// The names of the choices.
pub(crate) const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbook::{Workbook, file_names};

    fn sheet(package: &str, scene: &str) -> Sheet {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let source = SceneSource::find(&workbook, package, scene, None).unwrap();
        Sheet::new(&source, &workbook.snapshot(package, scene).unwrap())
    }

    #[test]
    fn a_scene_s_values_are_blank_and_its_labels_are_given() {
        let sheet = sheet("step02_epoll", "level_or_edge");
        assert_eq!(sheet.lines[2].asked, "you wait again          level: ____  edge: ____");
        assert_eq!(sheet.lines[2].values, ["readable", "nothing"]);
        assert_eq!(sheet.asked(), 8);
    }

    #[test]
    fn a_line_without_a_value_is_given() {
        let sheet = sheet("step01_fd", "half_close");
        assert!(!sheet.lines[0].is_asked());
        assert_eq!(sheet.lines[1].asked, "  the server reads:       ____");
        assert_eq!(sheet.lines[1].values, ["Bytes(5)"]);
    }

    #[test]
    fn a_line_that_the_code_puts_together_is_split_into_its_columns() {
        let sheet = sheet("step05_selfpipe", "eventfd_or_socketpair");
        assert_eq!(sheet.lines[1].asked, "descriptors           ____ ____");
        assert_eq!(sheet.lines[1].values, ["2", "1"]);
    }

    #[test]
    fn where_the_order_is_the_question_a_line_is_chosen() {
        let sheet = sheet("step07_full_loop", "order_in_a_tick");
        assert!(sheet.choices.len() > 3, "{:?}", sheet.choices);
        assert!(sheet.choices.is_sorted(), "the order of the list must not tell anything");
        assert!(sheet.lines.iter().all(|line| line.asked == BLANK));
    }

    #[test]
    fn every_scene_of_every_step_has_something_to_predict() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        for step in workbook.steps().unwrap() {
            for name in file_names(&workbook.snapshots(&step)).unwrap() {
                let scene = name.trim_end_matches(".snap");
                let sheet = sheet(&step, scene);
                assert!(sheet.asked() > 0, "{step} {scene}");
                for line in &sheet.lines {
                    let is_told = !line.values.is_empty() && line.asked.trim() == line.text.trim();
                    assert!(!is_told, "{step} {scene}: {}", line.text);
                }
            }
        }
    }
}
