//! The sheet that a reader fills in: the lines of a transcript, with blanks for the values to
//! predict.
//!
//! If a scene does one thing after another, its code shows what each line is about, and the reader
//! predicts the values. If the reader also predicts the order of the lines, each whole line is a
//! blank. The reader then chooses from a list of the scene's lines, without their values, and some
//! additional lines from the chapter. If the chapter expects wrong answers to some lines of such a
//! scene, the reader predicts only those lines. We show the lines before the first prediction
//! immediately and each later line when its turn comes.
//!
//! A blank takes a number, which the reader types, or a word, which the reader chooses from a list
//! (see `words.rs`).

use std::collections::BTreeSet;

use anyhow::ensure;
use scene::values::{Segment, segments};

use super::answer::{filled, spaced};
use super::misconceptions::{Given, Misconception, WrongAnswers};
use super::words::{Words, labelled};

/// The lines of a transcript, in the form of questions.
#[derive(Debug, Default)]
pub struct Sheet {
    /// All lines, in order.
    pub lines: Vec<Line>,
    /// The lines to choose from, if the reader predicts the order.
    pub choices: Vec<Form>,
    /// The words for the blanks that don't take a number.
    pub bank: Vec<Candidate>,
    /// The wrong answers that a chapter expects.
    pub wrong: Vec<Misconception>,
}

/// A line of the transcript.
#[derive(Debug, Default)]
pub struct Line {
    /// The whole line, as the scene prints it.
    pub text: String,
    /// The line with blanks.
    pub form: Form,
    /// True if the line has something to predict. Otherwise the line is shown.
    pub is_asked: bool,
}

/// A line with blanks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// The label, if the line is a choice.
    pub label: String,
    /// The line's text, with [`BLANK`] for each blank.
    pub asked: String,
    /// The possible contents of the line's blanks.
    pub blanks: Vec<Blank>,
}

/// The possible contents of a blank: one of the candidates at these indexes of the bank, or a
/// number if the list is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blank(pub Vec<usize>);

/// A word that can fill a blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The candidate's label.
    pub label: String,
    /// The text as a scene prints it.
    pub text: String,
}

/// The mark for a value to predict.
pub(super) const BLANK: &str = "____";

/// The mark for a line that's shown later, because it would give an earlier line away.
const LATER: &str = "…";

impl Blank {
    pub(super) fn takes_number(&self) -> bool {
        self.0.is_empty()
    }
}

impl Sheet {
    /// Creates a scene's sheet from the scene's code, the lines of its transcript with their values
    /// marked, and the chapter's list of wrong answers. If no value is marked or none could be
    /// different, the reader predicts only the order of the lines.
    ///
    /// Fails if the list has a mistake: a line that can't be parsed, or a wrong answer that a
    /// reader can't give, that's right, or that's listed twice.
    pub fn new(
        code: &str,
        said: &[String],
        asks_for_order: bool,
        list: &str,
    ) -> anyhow::Result<Sheet> {
        let printed: Vec<Printed> = said.iter().flat_map(|it| with_blanks(it)).collect();
        let list = WrongAnswers::read(list)?;
        let has_values = printed.iter().any(|line| !line.values.is_empty());
        Sheet::of(code, &printed, asks_for_order || !has_values, &list)
    }

    fn of(
        code: &str,
        printed: &[Printed],
        asks_for_order: bool,
        list: &WrongAnswers,
    ) -> anyhow::Result<Sheet> {
        let asked = |line: &Printed| line.asked.trim().to_owned();
        let mut texts: Vec<String> = printed.iter().map(|line| line.asked.clone()).collect();
        if asks_for_order {
            let lines: BTreeSet<String> =
                printed.iter().map(asked).chain(list.lines.iter().cloned()).collect();
            texts = labelled(lines.into_iter().collect()).into_iter().map(|it| it.text).collect();
        }
        let place = |at: usize, line: &Printed| {
            let chosen = || texts.iter().position(|text| *text == asked(line));
            if asks_for_order { chosen().unwrap_or_default() } else { at }
        };
        let wrong = list.given(printed, asks_for_order, &texts)?;
        let right = printed.iter().enumerate();
        let right = right.map(|(at, line)| (place(at, line), line.values.as_slice()));
        let wrongly = wrong.iter().map(|it| (it.place, it.values.as_slice()));
        let words = Words::new(code, &right.chain(wrongly).collect::<Vec<_>>(), &list.more);
        if let Some(word) = &words.only {
            let given: Vec<Printed> = printed.iter().map(|line| line.with_given(word)).collect();
            let is_all = given.iter().all(|line| line.values.is_empty());
            return Sheet::of(code, &given, asks_for_order || is_all, list);
        }
        let mut sheet = Sheet { bank: words.bank.clone(), ..Sheet::default() };
        let has_a_choice: BTreeSet<usize> = wrong.iter().map(|it| it.at).collect();
        for (at, line) in printed.iter().enumerate() {
            let is_chosen = has_a_choice.is_empty() || has_a_choice.contains(&at);
            let form = if asks_for_order {
                let is_first = has_a_choice.first().is_some_and(|first| at < *first);
                let given = if is_first { line.text.trim_end() } else { LATER };
                let asked = if is_chosen { BLANK } else { given };
                Form { asked: asked.to_owned(), ..Form::default() }
            } else {
                words.form(at, &line.asked)
            };
            let is_asked = if asks_for_order { is_chosen } else { !form.blanks.is_empty() };
            sheet.lines.push(Line { text: line.text.clone(), form, is_asked });
        }
        for Given { entry, at, place, values, overlooks } in wrong {
            let line = filled(&texts[place], &values);
            ensure!(spaced(&sheet.lines[at].text) != line, "{entry}: this answer is right");
            let is_it = |it: &Misconception| it.at == at && it.line == line;
            ensure!(!sheet.wrong.iter().any(is_it), "{entry}: the list has this answer already");
            sheet.wrong.push(Misconception { at, line, overlooks: overlooks.to_owned() });
        }
        if asks_for_order {
            for (at, candidate) in labelled(texts).into_iter().enumerate() {
                let form = words.form(at, &candidate.text);
                sheet.choices.push(Form { label: candidate.label, ..form });
            }
        }
        Ok(sheet)
    }

    /// Returns true if the number of lines is part of the question. In that case, a counter would
    /// give the number away.
    pub(super) fn asks_for_their_number(&self) -> bool {
        !self.choices.is_empty() && self.lines.iter().all(|line| line.is_asked)
    }

    /// Returns the number of lines to predict.
    pub fn asked(&self) -> usize {
        self.lines.iter().filter(|line| line.is_asked).count()
    }
}

/// A line from the scene's output.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) asked: String,
    pub(super) values: Vec<String>,
}

impl Printed {
    /// Adds the next part of the line, with a blank for a value. A value without text gets no
    /// blank, because a reader can't predict such a value.
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

impl Printed {
    /// Returns the line with `word` in place of each blank whose value is `word`.
    fn with_given(&self, word: &str) -> Printed {
        let mut line = Printed { text: self.text.clone(), ..Printed::default() };
        let mut pieces = self.asked.split(BLANK);
        line.asked.extend(pieces.next());
        for (value, piece) in self.values.iter().zip(pieces) {
            line.asked += if value == word { word } else { BLANK };
            line.asked += piece;
        }
        line.values = self.values.iter().filter(|value| *value != word).cloned().collect();
        line
    }
}

/// Creates a line with a blank for each value. If the text contains newlines, creates several
/// lines.
fn with_blanks(said: &str) -> Vec<Printed> {
    let mut lines = Vec::new();
    let mut line = Printed::default();
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

#[cfg(test)]
mod tests {
    use super::*;
    use scene::values::marked;

    fn sheet(said: &[&str], asks_for_order: bool, list: &str) -> anyhow::Result<Sheet> {
        let said: Vec<String> = said.iter().map(|line| marked(line)).collect();
        Sheet::new("", &said, asks_for_order, list)
    }

    fn asked(sheet: &Sheet) -> Vec<&str> {
        sheet.lines.iter().map(|line| line.form.asked.as_str()).collect()
    }

    fn words(sheet: &Sheet) -> Vec<&str> {
        sheet.bank.iter().map(|it| it.text.as_str()).collect()
    }

    const SAID: [&str; 3] =
        ["you begin", "you wait again  level: ⟦ready    ⟧ edge: ⟦nothing⟧", "you end⟦⟧"];

    #[test]
    fn a_scene_s_values_are_blank_and_the_rest_is_given() {
        let sheet = sheet(&SAID, false, "").unwrap();
        assert_eq!(sheet.lines[1].text, "you wait again  level: ready     edge: nothing");
        assert_eq!(asked(&sheet)[1], "you wait again  level: ____  edge: ____");
        assert_eq!(words(&sheet), ["nothing", "ready"]);
        assert!(sheet.is_right(1, "ready, nothing"));
        assert_eq!(sheet.asked(), 1, "a line without a value is given");
    }

    #[test]
    fn a_value_with_several_lines_is_asked_for_line_by_line() {
        let sheet = sheet(&["it says ⟦one\ntwo⟧"], false, "").unwrap();
        assert_eq!(asked(&sheet), ["it says ____", "____"]);
        assert!(sheet.is_right(1, "two") && !sheet.is_right(1, "one"));
    }

    #[test]
    fn where_the_order_is_the_question_a_line_is_chosen() {
        let sheet = sheet(&SAID, true, "> you hope").unwrap();
        let choices: Vec<&str> = sheet.choices.iter().map(|it| it.asked.as_str()).collect();
        let waits = "you wait again  level: ____  edge: ____";
        assert_eq!(choices, ["you begin", "you end", "you hope", waits]);
        assert_eq!(asked(&sheet), [BLANK; 3]);
        for typed in ["d b a", "d ready, nothing", "you wait again level: ready edge: nothing"] {
            assert!(sheet.is_right(1, typed), "{typed}");
        }
        assert!(sheet.is_right(0, "You begin") && sheet.is_right(2, "b"));
        assert!(!sheet.is_right(1, "d a b") && !sheet.is_right(1, "d") && !sheet.is_right(2, "a"));
    }

    #[test]
    fn a_scene_without_a_value_asks_for_the_order() {
        let sheet = sheet(&["A1", "B1", "A1"], false, "").unwrap();
        assert_eq!(sheet.choices.len(), 2);
        assert_eq!(sheet.asked(), 3);
    }

    #[test]
    fn a_word_that_nothing_else_can_stand_for_is_given() {
        let one = sheet(&["1: ⟦ok⟧ after ⟦3⟧", "2: ⟦ok⟧"], false, "").unwrap();
        assert_eq!(asked(&one), ["1: ok after ____", "2: ok"]);
        assert!(one.is_right(0, "3") && one.bank.is_empty());
        let none = sheet(&["1: ⟦ok⟧", "2: ⟦ok⟧"], false, "").unwrap();
        assert_eq!((asked(&none), none.choices.len()), (vec![BLANK; 2], 2), "so their order is");
        let more = sheet(&["1: ⟦ok⟧"], false, "+ EPERM").unwrap();
        assert_eq!(words(&more), ["EPERM", "ok"]);
    }

    #[test]
    fn all_blanks_offer_the_same_words_except_those_for_yes_and_no() {
        let said = ["⟦true⟧: ⟦ready⟧", "⟦false⟧: ⟦nothing⟧", "⟦no⟧ ⟦7⟧ ⟦8⟧"];
        let sheet = sheet(&said, false, "- 2: true / HUP | It's late.\n+ 8").unwrap();
        let of = |at: usize| -> Vec<Vec<&str>> {
            let blanks = sheet.lines[at].form.blanks.iter();
            let words = |it: &Blank| it.0.iter().map(|&it| sheet.bank[it].text.as_str()).collect();
            blanks.map(words).collect()
        };
        let all = vec!["8", "HUP", "nothing", "ready"];
        assert_eq!(of(0), [vec!["false", "true"], all.clone()]);
        assert_eq!(of(0), of(1));
        assert_eq!(of(2), [vec!["no", "yes"], vec![], all]);
    }

    #[test]
    fn the_words_have_what_the_code_would_say_if_it_went_otherwise() {
        let code =
            "let it = if x { \"ready\" } else { \"never\" }; say!(t, \"it's {}\", it); f(\"x\")";
        let sheet = Sheet::new(code, &[marked("it's ⟦ready⟧")], false, "").unwrap();
        assert_eq!(words(&sheet), ["never", "ready"]);
    }

    #[test]
    fn an_expected_answer_says_what_it_overlooks() {
        let list = "- 2: ready, ready | It's once.";
        let sheet = sheet(&SAID, false, list).unwrap();
        for typed in ["ready, ready", "b b", "READY Ready"] {
            assert_eq!(sheet.overlooked(1, typed), Some("It's once."), "{typed}");
        }
        assert_eq!(["a, a", "b a", "", "x"].map(|typed| sheet.overlooked(1, typed)), [None; 4]);
    }

    #[test]
    fn where_a_line_is_chosen_the_expected_answer_is_another_line() {
        let list = "- 1: A begins | Not yet.\n- 2: got 7 | It's late.\n";
        let sheet = sheet(&["got ⟦2⟧", "A begins"], true, list).unwrap();
        let of = |at, typed| sheet.overlooked(at, typed);
        assert_eq!(
            [of(0, "a"), of(1, "b 7"), of(1, "got 7")],
            [Some("Not yet."), Some("It's late."), Some("It's late.")]
        );
        assert_eq!([of(0, "b 2"), of(1, "b 8")], [None; 2]);
    }

    #[test]
    fn where_a_line_is_chosen_only_those_with_a_choice_are_asked_for() {
        let said = ["A begins", "A ends", "B begins", "⟦2⟧ are done", "B ends"];
        let list = "- 2: B begins | A doesn't wait.\n- 4: 1 are done | B counts, too.\n";
        let sheet = sheet(&said, true, list).unwrap();
        assert_eq!(asked(&sheet), ["A begins", BLANK, LATER, BLANK, LATER]);
        assert_eq!((sheet.asked(), sheet.choices.len()), (2, 5));
        assert_eq!(sheet.read(2, "a"), None, "it's given");
        assert!(!sheet.asks_for_their_number());
        let without_a_list = Sheet::new("", &said.map(marked), true, "").unwrap();
        assert_eq!(without_a_list.asked(), 5);
        assert!(without_a_list.asks_for_their_number());
    }

    #[test]
    fn an_answer_that_cannot_be_given_or_is_right_is_an_error() {
        let said = |list: &str| format!("{:#}", sheet(&SAID, false, list).unwrap_err());
        for (list, error) in [
            ("- 2: ready, nothing | x", "this answer is right"),
            ("- 2: ready | x", "the line has 2 blanks"),
            ("- 1: ready | x", "the line has no blanks"),
            ("- 4: ready | x", "the transcript has no such line"),
            ("- 2: ready, ready", "say what the answer overlooks"),
            ("ready", "begin a wrong answer with `- `"),
            ("> edge: ____", "a further line has no blanks"),
            ("- 2: ready, x | x\n- 2: ready, x | y", "the list has this answer already"),
        ] {
            assert!(said(list).ends_with(error), "{}", said(list));
        }
        let error = sheet(&["A", "B"], true, "- 1: C | x").unwrap_err();
        assert_eq!(error.root_cause().to_string(), "the choices have no such line");
    }
}
