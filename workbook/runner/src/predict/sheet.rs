//! The sheet that a reader fills in: the lines of a transcript, with blanks for what to predict.
//!
//! If a scene does one thing after the other, its code says what each line is about, and the values
//! are the question. If the order of the lines is a question, too, a whole line is a blank, and what
//! the lines say apart from their values is listed with letters to choose from. So is what the code
//! would say if it went otherwise.

use std::collections::BTreeSet;

use scene::values::{Part, parts};

/// The lines of a transcript, as they're asked for.
#[derive(Debug)]
pub struct Sheet {
    /// All lines, in order.
    pub lines: Vec<Line>,
    /// The lines to choose from, if their order is a question: `a`, `b` and so on.
    pub choices: Vec<String>,
}

/// A line of the transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The whole line, as the scene prints it.
    pub text: String,
    /// The line with blanks.
    pub asked: String,
    /// The values for the blanks. Without any, the line is given.
    pub values: Vec<String>,
    /// The index of its choice, if the whole line is asked for.
    pub choice: Option<usize>,
}

/// What stands for a value to predict.
const BLANK: &str = "____";

impl Line {
    /// Returns true if there's something to predict in it.
    pub(crate) fn is_asked(&self) -> bool {
        !self.values.is_empty() || self.choice.is_some()
    }

    /// Adds the next part of the line, which has a blank for a value. One that prints as nothing can't
    /// be asked for.
    fn add(&mut self, text: &str, is_value: bool) {
        self.text += text;
        if is_value && !text.trim().is_empty() {
            self.asked += BLANK;
            self.asked += if text.ends_with(' ') { " " } else { "" };
            self.values.push(text.trim().to_owned());
        } else {
            self.asked += text;
        }
    }
}

impl Sheet {
    /// Makes the sheet of a scene from its code and the lines that it said, in which the values are
    /// marked. If none is, the order of the lines is all there is to predict.
    pub(crate) fn new(code: &str, said: &[String], asks_for_order: bool) -> Sheet {
        let mut lines: Vec<Line> = said.iter().flat_map(|it| with_blanks(it)).collect();
        let mut choices = Vec::new();
        if asks_for_order || !lines.iter().any(Line::is_asked) {
            // Sorted, because their order must not tell anything.
            let printed = lines.iter().map(|line| line.asked.trim().to_owned());
            let different: BTreeSet<String> = printed.chain(formats(code)).collect();
            choices = different.into_iter().collect();
            for line in &mut lines {
                line.choice = choices.iter().position(|choice| choice == line.asked.trim());
                BLANK.clone_into(&mut line.asked);
            }
        }
        Sheet { lines, choices }
    }

    /// Returns the number of lines that are asked for.
    pub(crate) fn asked(&self) -> usize {
        self.lines.iter().filter(|line| line.is_asked()).count()
    }
}

/// Makes a line of which the values are asked for; several if a value has several lines.
fn with_blanks(said: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    for part in parts(said) {
        let (Part::Text(text) | Part::Value(text)) = part;
        for (index, text) in text.split('\n').enumerate() {
            if index > 0 {
                lines.push(std::mem::take(&mut line));
            }
            line.add(text, matches!(part, Part::Value(_)));
        }
    }
    lines.push(line);
    lines
}

/// Lists the lines in the code, with a blank for each value. One that names what it's about has to be
/// printed first.
fn formats(code: &str) -> impl Iterator<Item = String> {
    let formats = code.split("say!(").skip(1).filter_map(|call| call.split('"').nth(1));
    formats.filter_map(|format| {
        let mut pieces = format.split('{');
        let mut line = pieces.next()?.to_owned();
        for piece in pieces {
            let (value, text) = piece.split_once('}')?;
            if !value.is_empty() && !value.starts_with(':') {
                return None;
            }
            line += BLANK;
            line += text;
        }
        Some(line.trim().to_owned())
    })
}

/// The names of the choices.
pub(crate) const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

#[cfg(test)]
mod tests {
    use super::*;
    use scene::values::{Value, mark};

    fn said() -> Vec<String> {
        mark();
        let padded =
            format!("you wait again  level: {:<9} edge: {}", Value("ready"), Value("nothing"));
        vec!["you begin".to_owned(), padded, format!("you end{}", Value(""))]
    }

    #[test]
    fn a_scene_s_values_are_blank_and_the_rest_is_given() {
        let sheet = Sheet::new("", &said(), false);
        assert_eq!(sheet.lines[1].text, "you wait again  level: ready     edge: nothing");
        assert_eq!(sheet.lines[1].asked, "you wait again  level: ____  edge: ____");
        assert_eq!(sheet.lines[1].values, ["ready", "nothing"]);
        assert_eq!(sheet.asked(), 1, "a line without a value is given");
    }

    #[test]
    fn a_value_with_several_lines_is_asked_for_line_by_line() {
        mark();
        let sheet = Sheet::new("", &[format!("it says {}", Value("one\ntwo"))], false);
        let asked: Vec<&str> = sheet.lines.iter().map(|line| line.asked.as_str()).collect();
        assert_eq!(asked, ["it says ____", "____"]);
        assert_eq!(sheet.lines[1].values, ["two"]);
    }

    #[test]
    fn where_the_order_is_the_question_a_line_is_chosen() {
        let code =
            "say!(t, \"you begin\"); say!(t, \"{who} begins\"); say!(t, \"an error: {:?}\", it);";
        let sheet = Sheet::new(code, &said(), true);
        assert_eq!(
            sheet.choices,
            ["an error: ____", "you begin", "you end", "you wait again  level: ____  edge: ____"],
            "the order of the list must not tell anything"
        );
        assert!(sheet.lines.iter().all(|line| line.asked == BLANK));
        assert_eq!(sheet.lines[1].choice, Some(3));
        assert_eq!(sheet.asked(), 3);
    }

    #[test]
    fn a_scene_without_a_value_asks_for_the_order() {
        let sheet = Sheet::new("", &["A1", "B1", "A1"].map(str::to_owned), false);
        assert_eq!(sheet.choices, ["A1", "B1"]);
        assert_eq!(sheet.asked(), 3);
    }
}
