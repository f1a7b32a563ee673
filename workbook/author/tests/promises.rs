//! Unchecked promises have one of two forms, which the runner can read.

use exercises::Exercise;
use judging::Step;
use judging::notebook::source::{Function, layer_files};
use judging::promises::{free, not_checked};
use judging::workbook::{Workbook, read};

/// Words that begin clauses that aren't sentences by themselves.
const BEGINS_NO_SENTENCE: [&str; 6] = ["that", "whether", "what", "how", "neither", "which"];

/// Other words for an unchecked promise. The runner can't read a promise in these words, so it
/// wouldn't list the promise once the body is green.
const OTHER_WORDS: [&str; 5] = ["no check", "n't checked", "unchecked", "no trial", "n't judged"];

/// Returns the mistakes in an exercise's docs.
fn mistakes(function: &str) -> Vec<String> {
    let (promises, choices) = (not_checked(function), free(function));
    let mut mistakes = Vec::new();
    for promise in &promises {
        let first = promise.split(' ').next().unwrap_or_default().to_lowercase();
        let is_clause = BEGINS_NO_SENTENCE.contains(&&*first);
        if is_clause || !promise.ends_with('.') {
            mistakes.push(format!("not a sentence by itself: {promise:?}"));
        }
    }
    let lower = function.to_lowercase();
    if let Some(words) = OTHER_WORDS.iter().find(|words| lower.contains(**words)) {
        mistakes.push(format!("say `Not checked: ` instead of {words:?}"));
    }
    let said = lower.matches("not checked").count();
    if said != promises.len() {
        mistakes.push("`Not checked: ` doesn't begin a paragraph".to_owned());
    }
    if function.matches("Free: ").count() != choices.len() {
        mistakes.push("`Free: ` doesn't begin a paragraph".to_owned());
    }
    mistakes
}

#[test]
fn a_promise_that_is_not_checked_is_a_sentence_by_itself_and_what_is_free_is_none() {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).expect("the workbook");
    let (mut promises, mut choices) = (0, 0);
    for package in workbook.steps().expect("steps") {
        let step = Step::without_checks(&workbook, &package).expect("a step");
        let src = workbook.step(&package).join("src");
        for file in layer_files(&src).expect("files") {
            let text = read(&src.join(&file)).expect("read");
            for Exercise { name, number, .. } in step.exercises {
                let Some(function) = Function::find(&text, name).expect("anchors") else {
                    continue;
                };
                let function = function.whole();
                assert_eq!(mistakes(function), [""; 0], "{number} {name}");
                promises += not_checked(function).len();
                choices += free(function).len();
            }
        }
    }
    assert!(promises > 0 && choices > 0, "{promises} promises and {choices} choices");
}

#[test]
fn what_has_neither_form_is_found() {
    let docs = |text: &str| mistakes(&format!("/// Sleeps.\n///\n/// {text}\nfn sleep() {{}}\n"));
    assert!(docs("Not checked: it's short.").is_empty());
    assert!(docs("Free: whether it's short.").is_empty());
    assert_eq!(docs("Not checked: whether it's short.").len(), 1);
    assert_eq!(docs("Not checked: neither this, nor the orderings.").len(), 1);
    assert_eq!(docs("Not checked: it's short").len(), 1);
    assert_eq!(docs("It sleeps. (Not checked: it's short.)").len(), 1);
    assert_eq!(docs("It's long. Free: its length.").len(), 1);
    assert_eq!(docs("No check tests that it's short.").len(), 1);
}
