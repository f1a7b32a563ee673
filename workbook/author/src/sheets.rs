//! Checks the promise of every prediction's sheet: a right answer is never refused, and a wrong
//! answer is never accepted. Since answers are choices or numbers, we can try all choices and a
//! selection of numbers.

use std::collections::BTreeSet;
use std::slice;

use anyhow::{Context, ensure};
use runner::predict::{Blank, Line, LineForm, Sheet};
use scene::values::{Segment, segments};

/// Fails unless each line that the sheet asks for accepts exactly those answers that produce the
/// corresponding line of the answer key.
pub(crate) fn ensure_it_can_be_answered(sheet: &Sheet, key: &[&str]) -> anyhow::Result<()> {
    let lines: Vec<&str> = sheet.lines.iter().map(|line| line.text.as_str()).collect();
    ensure!(lines == key, "the answer key has other lines than {lines:?}");
    ensure!(sheet.asked() > 0, "there's nothing to predict");
    ensure_different(sheet.bank.iter().flat_map(|it| [it.text.as_str(), &it.label]))?;
    ensure_different(sheet.choices.iter().flat_map(|it| [it.asked.as_str(), &it.label]))?;
    // A scene with a single line to choose from can be guessed, which is fine unless the book asks
    // for the scene.
    let is_single = sheet.choices.len() == 1 && sheet.lines.len() > 1;
    ensure!(!is_single, "there's one line to choose: {:?}", sheet.choices);
    let asked = sheet.lines.iter().enumerate().filter(|(_, line)| line.is_asked);
    for (at, line) in asked {
        ensure_one_is_right(sheet, at, line).with_context(|| line.text.clone())?;
    }
    Ok(())
}

fn ensure_one_is_right(sheet: &Sheet, at: usize, line: &Line) -> anyhow::Result<()> {
    let own = slice::from_ref(&line.form);
    let forms = if sheet.choices.is_empty() { own } else { &sheet.choices };
    let numbers = numbers(sheet);
    let mut right = 0;
    for form in forms {
        let blanks = form.asked.matches("____").count();
        ensure!(blanks == form.blanks.len(), "{:?}: it has other blanks", form.asked);
        for blank in form.blanks.iter().filter(|blank| !blank.0.is_empty()) {
            ensure!(blank.0.len() > 1, "there's one word to choose: {:?}", sheet.bank);
        }
        for values in all_values(sheet, &form.blanks, &numbers) {
            let said: Vec<&str> = values.iter().map(|it| it.text.as_str()).collect();
            let is_right = normal(&filled(form, &said)) == normal(&line.text);
            let labels: Vec<&str> = values.iter().map(|it| it.label.as_str()).collect();
            let (label, comma) = (&form.label, ", ");
            let mut ways = vec![format!("{label} {}", labels.join(comma))];
            if said.len() < 2 || !said.iter().any(|word| word.contains(',')) {
                let text = said.join(comma);
                ways.push(format!("{label} {}", text.to_ascii_uppercase()));
                ways.push(format!("{label} {text}"));
            }
            for typed in ways {
                ensure!(sheet.read(at, &typed).is_some(), "{typed:?} can't be answered");
                let counts = sheet.is_right(at, &typed);
                ensure!(counts == is_right, "{typed:?} counts as {counts}: {said:?}");
            }
            right += usize::from(is_right);
        }
    }
    ensure!(right > 0, "nothing that can be answered is right");
    Ok(())
}

/// A possible answer in a blank: its label and its text. For a number, the label and the text are
/// the same.
#[derive(Clone)]
struct Value {
    label: String,
    text: String,
}

/// Returns all combinations of answers in some blanks. Since there are infinitely many numbers,
/// uses only the numbers in `numbers`.
fn all_values(sheet: &Sheet, blanks: &[Blank], numbers: &BTreeSet<String>) -> Vec<Vec<Value>> {
    let Some((blank, others)) = blanks.split_first() else { return vec![Vec::new()] };
    let number = |number: &String| Value { label: number.clone(), text: number.clone() };
    let word = |&index: &usize| {
        let word = &sheet.bank[index];
        Value { label: word.label.clone(), text: word.text.clone() }
    };
    let of_blank: Vec<Value> = match blank.0.as_slice() {
        [] => numbers.iter().map(number).collect(),
        words => words.iter().map(word).collect(),
    };
    let after = all_values(sheet, others, numbers);
    let with_after = |value: &Value| {
        let first = slice::from_ref(value);
        after.iter().map(move |after| [first, after].concat()).collect::<Vec<Vec<Value>>>()
    };
    of_blank.iter().flat_map(with_after).collect()
}

/// Returns those numbers in a sheet's lines that can be typed in only one way, plus one other
/// number.
fn numbers(sheet: &Sheet) -> BTreeSet<String> {
    let words = sheet.lines.iter().flat_map(|line| line.text.split([' ', ',', ';', ':']));
    let is_number = |word: &&str| {
        let added = ["N+", "N-", "-"].iter().find_map(|sign| word.strip_prefix(sign));
        let digits = added.unwrap_or(word);
        *word == "N" || (!digits.is_empty() && digits.chars().all(|it| it.is_ascii_digit()))
    };
    let numbers = words.filter(is_number).map(str::to_owned);
    numbers.chain(["987654".to_owned()]).collect()
}

/// Fails unless the sheet asks for each value that the scene has marked. If no other word could
/// stand in a value's place, the sheet shows the value instead of asking for it, so the chapter has
/// to list another word.
pub(crate) fn ensure_all_is_asked(sheet: &Sheet, said: &[String]) -> anyhow::Result<()> {
    ensure!(sheet.choices.len() != 1, "there's one line to choose: {:?}", sheet.choices);
    let asks_for_each = !sheet.choices.is_empty() && sheet.asked() == sheet.lines.len();
    ensure!(!asks_for_each, "list a wrong answer to each line that has a choice in it, with `-`");
    let segments = said.iter().flat_map(|line| segments(line));
    let values = segments.filter_map(|segment| match segment {
        Segment::Value(value) => Some(value),
        Segment::Text(_) => None,
    });
    let numbers = numbers(sheet);
    for value in values.flat_map(|value| value.split('\n')).map(str::trim) {
        let is_asked = numbers.contains(value) || sheet.bank.iter().any(|it| it.text == value);
        ensure!(value.is_empty() || is_asked, "list what could stand for {value:?}, with `+`");
    }
    Ok(())
}

fn ensure_different<'a>(texts: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    let mut seen = BTreeSet::new();
    for text in texts {
        ensure!(seen.insert(normal(text)), "two things to choose are called {text:?}");
    }
    Ok(())
}

fn filled(form: &LineForm, values: &[&str]) -> String {
    values.iter().fold(form.asked.clone(), |text, value| text.replacen("____", value, 1))
}

/// Returns a string in lower case and with single spaces, since an answer's case and spaces don't
/// matter.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner::predict::Candidate;
    use scene::values::marked;

    const KEY: [&str; 2] = ["it reads: nothing, 3", "then: EOF"];

    fn sheet(asks_for_order: bool) -> Sheet {
        let said = ["it reads: ⟦nothing⟧, ⟦3⟧", "then: ⟦EOF⟧"].map(marked);
        Sheet::new("", &said, asks_for_order, "").expect("a sheet")
    }

    /// Returns the error message for a sheet after a change.
    fn said(asks_for_order: bool, change: impl FnOnce(&mut Sheet)) -> String {
        let mut sheet = sheet(asks_for_order);
        ensure_it_can_be_answered(&sheet, &KEY).expect("nothing is wrong before");
        change(&mut sheet);
        let error = ensure_it_can_be_answered(&sheet, &KEY).expect_err("it isn't seen");
        error.root_cause().to_string()
    }

    fn candidate(label: &str, text: &str) -> Candidate {
        Candidate { label: label.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn what_is_right_has_to_come_from_the_answer_key() {
        let said = said(false, |sheet| sheet.lines[1].text = "then: nothing".to_owned());
        assert!(said.starts_with("the answer key has other lines"), "{said}");
    }

    #[test]
    fn each_line_has_to_have_an_answer_that_is_right() {
        let without_it = said(false, |sheet| {
            sheet.bank.push(candidate("d", "more"));
            sheet.lines[1].form.blanks[0].0 = vec![1, 2];
        });
        assert_eq!(without_it, "nothing that can be answered is right");
        let no_number = said(false, |sheet| sheet.lines[1].form.blanks[0].0.clear());
        assert_eq!(no_number, "nothing that can be answered is right");
    }

    #[test]
    fn there_have_to_be_several_things_to_choose_and_no_two_the_same() {
        let one = said(false, |sheet| sheet.lines[1].form.blanks[0].0 = vec![0]);
        assert!(one.starts_with("there's one word to choose"), "{one}");
        let same = said(false, |sheet| sheet.bank.push(candidate("z", "Nothing ")));
        assert_eq!(same, "two things to choose are called \"Nothing \"");
        let labelled = said(false, |sheet| sheet.bank[0].label = "nothing".to_owned());
        assert_eq!(labelled, "two things to choose are called \"nothing\"");
        let line = said(true, |sheet| sheet.choices.truncate(1));
        assert!(line.starts_with("there's one line to choose"), "{line}");
        let twice =
            said(true, |sheet| sheet.choices[1].asked = sheet.choices[0].asked.to_uppercase());
        assert!(twice.starts_with("two things to choose are called"), "{twice}");
    }

    #[test]
    fn a_value_that_is_given_because_nothing_could_stand_for_it_is_seen() {
        let said = ["it's ⟦ok⟧ after ⟦3⟧".to_owned()].map(|line| marked(&line));
        let sheet = Sheet::new("", &said, false, "").expect("a sheet");
        let error = ensure_all_is_asked(&sheet, &said).expect_err("it's given");
        assert_eq!(error.to_string(), "list what could stand for \"ok\", with `+`");
        let sheet = Sheet::new("", &said, false, "+ EPERM").expect("a sheet");
        ensure_all_is_asked(&sheet, &said).expect("it's asked for");
    }

    #[test]
    fn where_the_order_is_asked_for_some_lines_are_given() {
        let said = ["A".to_owned(), "B".to_owned()];
        let sheet = Sheet::new("", &said, true, "").expect("a sheet");
        let error = ensure_all_is_asked(&sheet, &said).expect_err("each line is asked for");
        assert!(error.to_string().starts_with("list a wrong answer"), "{error}");
        let sheet = Sheet::new("", &said, true, "- 2: A | It's once.").expect("a sheet");
        ensure_all_is_asked(&sheet, &said).expect("one line is given");
    }
}
