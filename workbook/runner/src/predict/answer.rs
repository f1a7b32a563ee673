//! A reader's answer: a value for each of a line's blanks, which is a number or one of a few words,
//! or a whole line. An answer completes a line. The answer is right if the scene prints the
//! completed line, apart from differences in spaces and case. If the input isn't an answer, the
//! terminal's conversation asks again.

use super::sheet::{BLANK, Blank, Candidate, Form, Sheet};

/// An answer to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The whole line, with single spaces.
    pub line: String,
    /// The answer itself: the values, or the whole line if the reader chose a line.
    pub words: String,
}

impl Sheet {
    /// Parses an answer to a line: the label of a choice with the values for its blanks, the values
    /// for the line's own blanks, or the whole line. The reader can type a candidate's label or its
    /// text.
    ///
    /// Returns `None` if the input isn't an answer to this line.
    pub fn read(&self, at: usize, typed: &str) -> Option<Answer> {
        let form = &self.lines.get(at).filter(|line| line.is_asked)?.form;
        let typed = normal(typed);
        if self.choices.is_empty() {
            let values = self.values(form, &typed).or_else(|| self.values_of_line(form, &typed))?;
            return Some(Answer { line: filled(&form.asked, &values), words: values.join(", ") });
        }
        let (label, after) = typed.split_once(' ').unwrap_or((&typed, ""));
        let labelled = self.choices.iter().find(|choice| choice.label == label);
        let of_label =
            labelled.and_then(|form| Some(filled(&form.asked, &self.values(form, after)?)));
        let line = of_label.or_else(|| {
            let forms = self.choices.iter();
            let mut lines =
                forms.filter_map(|it| Some(filled(&it.asked, &self.values_of_line(it, &typed)?)));
            lines.next()
        })?;
        Some(Answer { words: line.clone(), line })
    }

    /// Returns true if the answer completes this line correctly.
    pub fn is_right(&self, at: usize, typed: &str) -> bool {
        self.read(at, typed).is_some_and(|it| it.line == spaced(&self.lines[at].text))
    }

    /// Returns the fact that a wrong answer to a line overlooks, if the chapter expects that
    /// answer.
    pub fn overlooked(&self, at: usize, typed: &str) -> Option<&str> {
        let line = self.read(at, typed)?.line;
        let found = self.wrong.iter().find(|it| it.at == at && it.line == line)?;
        Some(&found.overlooks)
    }

    /// Returns the words of the answer to a line, or the input itself if it isn't an answer.
    pub fn in_words(&self, at: usize, typed: &str) -> String {
        self.read(at, typed).map_or_else(|| typed.trim().to_owned(), |answer| answer.words)
    }

    /// Parses values that are separated by commas or spaces.
    fn values(&self, form: &Form, typed: &str) -> Option<Vec<String>> {
        let pieces: Vec<&str> = match form.blanks.len() {
            0 => return typed.is_empty().then(Vec::new),
            1 => vec![typed],
            count if typed.split(',').count() == count => typed.split(',').collect(),
            _ => typed.split_whitespace().collect(),
        };
        self.all_read(form, &pieces)
    }

    /// Parses a whole line and returns the values in its blanks.
    fn values_of_line(&self, form: &Form, typed: &str) -> Option<Vec<String>> {
        let values = values_in(&normal(&form.asked), typed)?;
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.all_read(form, &values)
    }

    fn all_read(&self, form: &Form, values: &[&str]) -> Option<Vec<String>> {
        if values.len() != form.blanks.len() {
            return None;
        }
        form.blanks.iter().zip(values).map(|(blank, value)| self.value(blank, value)).collect()
    }

    /// Parses the value for one blank.
    fn value(&self, blank: &Blank, typed: &str) -> Option<String> {
        let typed = normal(typed);
        let is_it = |it: &&Candidate| normal(&it.text) == typed || it.label == typed;
        if let Some(candidate) = self.bank.iter().find(is_it) {
            return Some(candidate.text.clone());
        }
        number(&typed).filter(|_| blank.takes_number())
    }
}

/// Returns a line with these values in its blanks and with single spaces.
pub(super) fn filled(asked: &str, values: &[String]) -> String {
    let mut values = values.iter();
    let mut pieces = asked.split(BLANK);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text += values.next().map_or(BLANK, String::as_str);
        text += piece;
    }
    spaced(&text)
}

/// Returns a string with single spaces between its words.
pub(super) fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Returns a string in lower case and with single spaces, for comparisons.
pub(super) fn normal(text: &str) -> String {
    spaced(text).to_lowercase()
}

/// Parses a number in the form that scenes print: digits, perhaps after a minus sign, or `N`, `N+1`
/// or `N-1` relative to a descriptor's number N. Separators between digits are ignored.
pub(super) fn number(typed: &str) -> Option<String> {
    let number: String = typed.chars().filter(|char| !" ,_".contains(*char)).collect();
    let number = number.to_uppercase();
    let digits = match number.strip_prefix('N') {
        Some("") => return Some(number),
        Some(added) => added.strip_prefix(['+', '-'])?,
        None => number.strip_prefix('-').unwrap_or(&number),
    };
    let are_digits = !digits.is_empty() && digits.chars().all(|char| char.is_ascii_digit());
    are_digits.then_some(number)
}

/// Returns a line's values for the blanks in `asked`. Returns `None` if the rest of the text
/// doesn't match.
pub(super) fn values_in(asked: &str, line: &str) -> Option<Vec<String>> {
    let mut pieces = asked.split(BLANK);
    let mut rest = line.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        let at = if is_last { rest.len().checked_sub(piece.len())? } else { rest.find(piece)? };
        let (value, after) = rest.split_at_checked(at)?;
        rest = after.strip_prefix(piece)?;
        values.push(value.trim().to_owned());
    }
    rest.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene::values::marked;

    fn sheet(said: &[&str], list: &str) -> Sheet {
        let said: Vec<String> = said.iter().map(|line| marked(line)).collect();
        Sheet::new("", &said, false, list).expect("a sheet")
    }

    #[test]
    fn a_number_is_right_however_its_digits_are_grouped() {
        let sheet = sheet(&["it takes ⟦1000⟧ rounds and ⟦N+1⟧"], "");
        for typed in ["1000, N+1", "1000 n+1", " 1_000, N + 1 ", "it takes 1,000 rounds and N+1"] {
            assert!(sheet.is_right(0, typed), "{typed}");
        }
        for typed in ["100, N+1", "-1000, N+1", "1000, N", "1000.0, N+1", "1000", "1000, N+1, 2"] {
            assert!(!sheet.is_right(0, typed), "{typed}");
        }
    }

    #[test]
    fn a_word_is_right_by_its_label_and_by_its_text_and_by_nothing_else() {
        let said = ["level: ⟦readable ⟧ edge: ⟦nothing⟧", "edge: ⟦IN | HUP⟧"];
        let sheet = sheet(&said, "");
        let bank: Vec<&str> = sheet.bank.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(bank, ["IN | HUP", "nothing", "readable"]);
        for typed in
            ["c, b", "c b", "Readable, nothing", "level: readable edge: nothing", "c NOTHING"]
        {
            assert!(sheet.is_right(0, typed), "{typed}");
        }
        for typed in ["", "b, c", "c", "read, nothing", "readable, none", "c b b"] {
            assert!(!sheet.is_right(0, typed), "{typed}");
        }
        assert!(sheet.is_right(1, "in  |  hup") && sheet.is_right(1, "a"));
        assert!(!sheet.is_right(1, "hup | in") && !sheet.is_right(1, "in"));
    }

    #[test]
    fn what_cannot_be_an_answer_is_none() {
        let sheet = sheet(&["it's ⟦over⟧ after ⟦3⟧"], "+ running");
        for typed in ["", "a", "done, 3", "4, 3", "a, three", "a, 3, 3", "it's over"] {
            assert_eq!(sheet.read(0, typed), None, "{typed}");
        }
        let wrong = Answer { line: "it's running after 4".into(), words: "running, 4".into() };
        assert_eq!(sheet.read(0, "b 4"), Some(wrong));
        assert_eq!(sheet.read(1, "a 3"), None, "there's no such line");
    }

    #[test]
    fn a_label_is_never_what_another_candidate_says() {
        let sheet = sheet(&["first ⟦b⟧", "then ⟦c⟧", "then ⟦1s⟧"], "");
        let labels: Vec<&str> = sheet.bank.iter().map(|it| it.label.as_str()).collect();
        assert_eq!(labels, ["a", "d", "e"]);
        assert!(sheet.is_right(0, "b") && sheet.is_right(0, "d") && !sheet.is_right(0, "e"));
    }

    #[test]
    fn a_line_that_two_choices_can_make_is_right_by_both() {
        let said = ["it finds nothing", "it finds ⟦a byte⟧"].map(marked);
        let sheet = Sheet::new("", &said, true, "+ nothing").expect("a sheet");
        for typed in ["it finds nothing", "a nothing", "b"] {
            assert!(sheet.is_right(0, typed), "{typed}");
        }
    }

    #[test]
    fn an_answer_is_said_in_words() {
        let sheet = sheet(&["it's ⟦over⟧ after ⟦3⟧"], "+ running");
        assert_eq!(sheet.in_words(0, "b 4"), "running, 4");
        assert_eq!(sheet.in_words(0, " whatever "), "whatever");
    }
}
