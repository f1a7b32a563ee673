//! The sheet that a reader fills in: the lines of a transcript, with blanks for what to predict.
//!
//! If a scene does one thing after the other, its code says what each line is about, and the values
//! are the question. If the order of the lines is a question, too, a whole line is a blank, and
//! what the lines say apart from their values is listed with letters to choose from. So is what the
//! code would say if it went otherwise.

use std::collections::BTreeSet;

use scene::values::{Segment, segments};

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
pub(super) const BLANK: &str = "____";

impl Line {
    /// Returns true if there's something to predict in it.
    pub fn is_asked(&self) -> bool {
        !self.values.is_empty() || self.choice.is_some()
    }

    /// Adds the next part of the line, which has a blank for a value. One that prints as nothing
    /// can't be asked for.
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
    pub fn new(code: &str, said: &[String], asks_for_order: bool) -> Sheet {
        let mut lines: Vec<Line> = said.iter().flat_map(|it| with_blanks(it)).collect();
        let mut choices = Vec::new();
        if asks_for_order || !lines.iter().any(Line::is_asked) {
            // Sorted, because their order must not tell anything.
            let printed: Vec<&str> = lines.iter().map(|line| line.asked.trim()).collect();
            let mut different = could_print(code, &printed);
            different.extend(printed.into_iter().map(str::to_owned));
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
    for segment in segments(said) {
        let (Segment::Text(text) | Segment::Value(text)) = segment;
        for (index, text) in text.split('\n').enumerate() {
            if index > 0 {
                lines.push(std::mem::take(&mut line));
            }
            line.add(text, matches!(segment, Segment::Value(_)));
        }
    }
    lines.push(line);
    lines
}

/// Lists the lines that the code could print, with a blank for each value. If a format names what
/// it's about, as `{who} begins` does, there's a line for each that any format with this name has
/// printed: otherwise the list would tell which of them are printed at all.
fn could_print(code: &str, printed: &[&str]) -> BTreeSet<String> {
    let calls = code.split("say!(").skip(1).filter_map(|call| call.split('"').nth(1));
    let formats: Vec<Format<'_>> = calls.filter_map(Format::of).collect();
    let mut lines = BTreeSet::new();
    for format in &formats {
        let Some((before, name, after)) = &format.about else {
            lines.insert(format.line.clone());
            continue;
        };
        let same = formats.iter().filter(|it| it.named() == Some(name));
        let names = same.flat_map(|it| printed.iter().filter_map(|line| it.name_in(line)));
        lines.extend(names.map(|name| format!("{before}{name}{after}")));
    }
    lines
}

/// What a `say!` prints, with a blank for each value.
struct Format<'a> {
    line: String,
    /// What it's about, between the text before and after its name.
    about: Option<(String, &'a str, String)>,
}

impl<'a> Format<'a> {
    /// Returns `None` if there are several names in it.
    fn of(format: &'a str) -> Option<Self> {
        let mut pieces = format.trim().split('{');
        let mut line = pieces.next()?.to_owned();
        let mut named = None;
        for piece in pieces {
            let (value, text) = piece.split_once('}')?;
            if value.is_empty() || value.starts_with(':') {
                line += BLANK;
            } else if named.replace((line.len(), value)).is_some() || value.contains(':') {
                return None;
            }
            line += text;
        }
        let about = named.map(|(at, name)| (line[..at].to_owned(), name, line[at..].to_owned()));
        Some(Format { line, about })
    }

    fn named(&self) -> Option<&'a str> {
        self.about.as_ref().map(|(_, name, _)| *name)
    }

    /// Returns what a printed line is about, if it's of this format.
    fn name_in<'b>(&self, line: &'b str) -> Option<&'b str> {
        let (before, _, after) = self.about.as_ref()?;
        let is_only_a_name = before.is_empty() && after.is_empty();
        let name = line.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
        (!is_only_a_name && !name.contains([' ', ':', '='])).then_some(name)
    }
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
    fn the_list_does_not_tell_which_of_several_named_lines_are_printed() {
        let code =
            "say!(t, \"{who} begins\"); say!(t, \"{who}: got {}\", it); say!(t, \"{a} and {b}\");";
        let sheet = Sheet::new(code, &["A begins", "B begins"].map(str::to_owned), true);
        assert_eq!(sheet.choices, ["A begins", "A: got ____", "B begins", "B: got ____"]);
    }

    #[test]
    fn a_scene_without_a_value_asks_for_the_order() {
        let sheet = Sheet::new("", &["A1", "B1", "A1"].map(str::to_owned), false);
        assert_eq!(sheet.choices, ["A1", "B1"]);
        assert_eq!(sheet.asked(), 3);
    }
}
