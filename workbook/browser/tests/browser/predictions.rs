//! Every prediction of the book is made in its page: rightly, wrongly, and not at all.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use book_in_a_browser::{Tab, on_disk, pages, predictions_of};
use judging::workbook::Workbook;
use runner::predict::{Line, is_right, names};
use serde_json::{Value, json};

/// Fills the forms of a page, checks them, and returns what each says. `answers` has the answers to
/// each form by its id: a list of values per line, or the number of a choice.
const FILL: &str = r#"
(answers) => [...document.querySelectorAll(".predict")].map((place) => {
    const { id, lines, choices } = place.asks;
    const typed = answers[id] ?? answers["*"];
    const set = (fields, values) => fields.forEach((field, at) => field.value = values[at] ?? values[0] ?? "");
    if (!lines) {
        place.querySelectorAll("input")[typed].checked = true;
    } else if (choices.length === 0) {
        place.querySelectorAll("ol.lines > li").forEach((row, at) =>
            set([...row.querySelectorAll("input")], typed[at] ?? typed[0]));
    } else {
        const offers = [...place.querySelectorAll(".choices button")];
        lines.forEach((line, at) => {
            const [choice, ...values] = typed[at] ?? typed[0];
            const offer = offers.find((it) => it.textContent === choice) ?? offers[offers.length - 1];
            offer.click();
            set([...place.querySelectorAll("ol.lines > li")[at].querySelectorAll("input")], values);
        });
    }
    const check = [...place.querySelectorAll(":scope > button")].find((it) => it.textContent === "Check");
    check.click();
    if (check.isConnected) {
        // Some places are left empty on purpose.
        check.click();
    }
    return {
        id,
        summary: place.querySelector(".summary").textContent,
        asked: (lines ?? [0]).filter((line) => !lines || line.choice !== null || line.values.length > 0).length,
        wrong: place.querySelectorAll("li.is-wrong, label.is-wrong").length,
    };
})
"#;

#[test]
fn each_prediction_can_be_made_rightly() -> Result<()> {
    let mut tab = forgetful_tab()?;
    let mut made = 0;
    for page in pages_that_ask()? {
        let answers = right_answers(&open(&mut tab, &page)?)?;
        for form in fill(&mut tab, &answers)? {
            let all = format!("{0} of {0} right.", form["asked"]);
            let summary = form["summary"].as_str().unwrap_or_default();
            assert!(summary == all || summary == "That's it.", "{page}: {form}");
            assert_eq!(form["wrong"], 0, "{page}: {form}");
            made += 1;
        }
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    assert!(made > 50, "only {made} predictions were found");
    println!("{made} predictions");
    Ok(())
}

#[test]
fn each_prediction_can_be_made_wrongly_and_is_made_once() -> Result<()> {
    let mut tab = Tab::open()?;
    for page in pages_that_ask()? {
        let mut answers = json!({ "*": [["something else"]] });
        for form in open(&mut tab, &page)? {
            if let Some(choices) = form["answers"].as_array() {
                let wrong = choices.iter().position(|choice| choice["right"] == false);
                answers[form["id"].as_str().unwrap_or_default()] = json!(wrong);
            }
        }
        let filled = fill(&mut tab, &answers)?;
        for form in &filled {
            let summary = form["summary"].as_str().unwrap_or_default();
            let is_wrong = summary.starts_with("0 of ") || summary.starts_with("No: ")
                // Where the order is the question, the last line can be in its place by chance.
                || (summary.ends_with(" right.") && form["wrong"] != 0);
            assert!(is_wrong, "{page}: {form}");
        }
        // The page remembers it, and offers no second try.
        tab.go_to("about:blank")?;
        tab.go_to(&on_disk(&page)?)?;
        let fields = "document.querySelectorAll('.predict input:not(:disabled)').length";
        assert_eq!(tab.evaluate(fields)?, 0, "{page}");
        let count = format!("{0} of {0} predicted", filled.len());
        let counts = format!(
            "document.querySelector('#mdbook-sidebar a[href$=\"{page}\"] .predicted').textContent"
        );
        assert_eq!(tab.evaluate(&counts)?, count.as_str(), "{page}");
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    Ok(())
}

#[test]
fn each_wrong_answer_that_a_chapter_lists_can_be_given_and_is_explained() -> Result<()> {
    let mut tab = forgetful_tab()?;
    let (mut explained, mut pages_that_explain) = (0, 0);
    for page in pages_that_ask()? {
        let asked = predictions_of(&page)?;
        let most = asked.iter().map(|form| form["wrong"].as_array().map_or(0, Vec::len)).max();
        pages_that_explain += usize::from(most.unwrap_or_default() > 0);
        // In each round, each form gets the next wrong answer of its list.
        for round in 0..most.unwrap_or_default() {
            tab.go_to("about:blank")?;
            tab.go_to(&on_disk(&page)?)?;
            let wrong = asked.iter().map(|form| {
                let has_choices = form["choices"].as_array().is_some_and(|it| !it.is_empty());
                json!({ "id": form["id"], "hasChoices": has_choices, "wrong": form["wrong"][round] })
            });
            let wrong = json!(wrong.collect::<Vec<_>>());
            let said = tab.evaluate(&format!("({GIVE_WRONG})({wrong})"))?;
            for said in said.as_array().context("a list")? {
                assert_eq!(said["shown"], said["overlooks"], "{page}: {said}");
                assert_eq!(said["isWrong"], true, "{page}: {said}");
                explained += 1;
            }
        }
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    assert!(
        explained >= 40 && pages_that_explain >= 10,
        "{explained} on {pages_that_explain} pages"
    );
    println!("{explained} wrong answers are explained, on {pages_that_explain} pages");
    Ok(())
}

/// Gives each form one of its wrong answers, and returns what it says about the line.
const GIVE_WRONG: &str = r#"
(answers) => [...document.querySelectorAll(".predict")].flatMap((place, form) => {
    const { id, wrong, hasChoices } = answers[form];
    if (!wrong) {
        return [];
    }
    const { at, answer, overlooks } = wrong;
    const rows = place.querySelectorAll("ol.lines > li");
    if (hasChoices) {
        const offer = place.querySelectorAll(".choices button")[answer.choice];
        for (let row = 0; row <= at; row += 1) {
            offer.click();
        }
    }
    [...rows[at].querySelectorAll("input")].forEach((field, index) => field.value = answer.values[index]);
    const check = [...place.querySelectorAll(":scope > button")].find((it) => it.textContent === "Check");
    check.click();
    if (check.isConnected) {
        // Some places are left empty on purpose.
        check.click();
    }
    const row = place.querySelectorAll("ol.lines > li")[at];
    return [{
        id, at, answer,
        shown: row.querySelector(".overlooks")?.textContent ?? null,
        overlooks: overlooks.replaceAll("`", ""),
        isWrong: row.matches(".is-wrong"),
    }];
})
"#;

#[test]
fn a_prediction_with_empty_places_asks_once_before_it_counts() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    let form = "document.querySelector('.predict[data-id=\"step02_epoll/level_or_edge\"]')";
    let check = format!("{form}.querySelector(':scope > button')");
    let asks =
        tab.evaluate(&format!("({check}.click(), {form}.querySelector('.said').textContent)"))?;
    let asks = asks.as_str().unwrap_or_default();
    assert!(asks.ends_with("still empty. Press Check once more to leave it so."), "{asks}");
    assert_eq!(tab.evaluate(&format!("{form}.querySelector('.summary')"))?, Value::Null);
    let summary = format!("({check}.click(), {form}.querySelector('.summary').textContent)");
    let summary = tab.evaluate(&summary)?;
    assert!(summary.as_str().is_some_and(|it| it.starts_with("0 of ")), "{summary}");
    let left = format!("{form}.querySelector('.yours').textContent");
    assert_eq!(tab.evaluate(&left)?, "you left it empty");
    Ok(())
}

#[test]
fn an_answer_is_not_in_the_page_before_it_is_opened() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    let text = "document.querySelector('main').textContent.includes('What happened, and why')";
    assert_eq!(tab.evaluate(text)?, true, "the fold's title is there");
    let fold = "document.querySelector('.predict:has(ol.lines) ~ details.transcript')";
    assert_eq!(tab.evaluate(&format!("{fold}.querySelector('pre')"))?, Value::Null);
    tab.evaluate(&format!("{fold}.open = true"))?;
    tab.wait_for(&format!("{fold}.querySelector('pre') !== null"))?;
    tab.wait_for("document.querySelector('.predict:has(ol.lines) .summary')?.textContent === \"You've opened the answer.\"")?;
    let first = "[...document.querySelector('.predict:has(ol.lines)').querySelectorAll('input')]";
    assert_eq!(tab.evaluate(&format!("{first}.every((field) => field.disabled)"))?, true);
    Ok(())
}

#[test]
fn the_keyboard_is_enough() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    tab.evaluate("document.querySelector('.predict ol.lines input').focus()")?;
    let count = tab.evaluate(
        "document.querySelector('.predict:has(ol.lines)').querySelectorAll('input').length",
    )?;
    for _ in 0..count.as_u64().context("a number of fields")? {
        for key in ["n", "o", "Enter"] {
            tab.press(key)?;
        }
    }
    tab.press("Enter")?;
    let focused = "document.activeElement.className === 'summary' && / of \\d+ right/.test(document.activeElement.textContent)";
    tab.wait_for(focused)?;
    Ok(())
}

#[test]
fn the_page_and_the_terminal_accept_the_same_words() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    let rows = names::ERRORS.iter().chain(&names::FLAGS).chain(&names::NAMES).copied();
    let answers = names::ANSWERS.iter().flat_map(|(line, others)| others.iter().chain([line]));
    let mut words: BTreeSet<String> =
        rows.flatten().chain(answers).map(|&it| it.to_owned()).collect();
    let more = [
        "24 bytes",
        "bytes(24)",
        "0.5 s",
        "500ms",
        "1,000",
        "0x0017",
        "b''",
        "HUP, IN",
        "not",
        "-1",
        "Ok(42)",
        "1 h 10 s",
        "60 min, 10 s",
        "10 s 1 h",
    ];
    words.extend(more.map(str::to_owned));
    let values: Vec<String> = recorded_values()?;
    words.extend(values.iter().cloned());
    let words: Vec<String> = words.into_iter().collect();
    let outcomes = BTreeSet::from(["nothing".to_owned(), "more than twice".to_owned()]);
    let mut compared = 0;
    let sum = "3610s".to_owned();
    for value in values.iter().step_by(7).chain([&sum]) {
        let line = Line { values: vec![value.clone()], ..Line::default() };
        let in_page = tab.evaluate(&format!(
            "{}.map((typed) => workbook.isRight(typed, {}, {}))",
            json!(words),
            json!({ "text": "", "asked": "____", "values": [value], "choice": null }),
            json!(outcomes)
        ))?;
        for (typed, in_page) in words.iter().zip(in_page.as_array().context("verdicts")?) {
            assert_eq!(
                in_page,
                &json!(is_right(typed, &line, &outcomes)),
                "{typed:?} for {value:?}"
            );
            compared += 1;
        }
    }
    println!("{compared} comparisons");
    Ok(())
}

/// Returns the pages that ask for predictions.
fn pages_that_ask() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for page in pages()? {
        if !predictions_of(&page)?.is_empty() {
            found.push(page);
        }
    }
    Ok(found)
}

/// Opens a tab in which nothing has been predicted, whatever was predicted on the page before.
fn forgetful_tab() -> Result<Tab> {
    let mut tab = Tab::open()?;
    tab.before_each_page("location.href === 'about:blank' || localStorage.clear()")?;
    Ok(tab)
}

/// Opens a page anew, and returns what it asks.
fn open(tab: &mut Tab, page: &str) -> Result<Vec<Value>> {
    tab.go_to("about:blank")?;
    tab.go_to(&on_disk(page)?)?;
    let asked = predictions_of(page)?;
    let forms = tab.evaluate(&format!(
        "(asked => {{
             const places = [...document.querySelectorAll('.predict')];
             places.forEach((place, at) => place.asks = asked[at]);
             return places.length;
         }})({})",
        json!(asked)
    ))?;
    assert_eq!(forms, asked.len(), "{page}: a form for each");
    Ok(asked)
}

fn fill(tab: &mut Tab, answers: &Value) -> Result<Vec<Value>> {
    let filled = tab.evaluate(&format!("({FILL})({answers})"))?;
    Ok(filled.as_array().context("a list")?.clone())
}

/// Returns the right answers to the forms of a page: of a scene, from its snapshots.
fn right_answers(asked: &[Value]) -> Result<Value> {
    let mut answers = json!({});
    for form in asked {
        let id = form["id"].as_str().context("an id")?;
        answers[id] = match form["answers"].as_array() {
            Some(choices) => json!(choices.iter().position(|choice| choice["right"] == true)),
            None => {
                let is_choice =
                    form["choices"].as_array().is_some_and(|choices| !choices.is_empty());
                let lines = recorded(id)?.into_iter().map(|(line, mut values)| {
                    if is_choice {
                        values.insert(0, line.trim().to_owned());
                    }
                    values
                });
                json!(lines.collect::<Vec<_>>())
            }
        };
    }
    Ok(answers)
}

/// Returns the lines of a scene that the book asks for: how it's shown among the choices, and its
/// values.
fn recorded(id: &str) -> Result<Vec<(String, Vec<String>)>> {
    let (package, scene) = id.split_once('/').context("PACKAGE/SCENE")?;
    let step = Workbook::of(env!("CARGO_MANIFEST_DIR"))?.step(package);
    let file = step.join(format!("tests/blanks/{scene}.snap"));
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let (_, text) = text.split_once("\n---\n").context("a header")?;
    let lines = text.trim_end().lines().map(|line| {
        let mut shown = String::new();
        let mut values = Vec::new();
        for piece in line.split('⟦') {
            let Some((value, after)) = piece.split_once('⟧') else {
                shown += piece;
                continue;
            };
            if value.trim().is_empty() {
                shown += value;
            } else {
                shown += if value.ends_with(' ') { "… " } else { "…" };
                values.push(value.trim().to_owned());
            }
            shown += after;
        }
        (shown, values)
    });
    Ok(lines.collect())
}

fn recorded_values() -> Result<Vec<String>> {
    let mut values = BTreeSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for package in fs::read_dir(root)? {
        let package = package?;
        let Ok(scenes) = fs::read_dir(package.path().join("tests/blanks")) else { continue };
        for scene in scenes {
            let scene = scene?.file_name().to_string_lossy().replace(".snap", "");
            let id = format!("{}/{scene}", package.file_name().to_string_lossy());
            values.extend(recorded(&id)?.into_iter().flat_map(|(_, values)| values));
        }
    }
    Ok(values.into_iter().collect())
}
