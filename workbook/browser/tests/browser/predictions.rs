//! Makes every prediction in the book on its page: correctly, incorrectly, and without an answer.

use std::fs;

use anyhow::{Context, Result};
use book_in_a_browser::predictions::{ANSWER, predictions_of};
use book_in_a_browser::{Tab, on_disk, pages};
use judging::workbook::Workbook;
use serde_json::{Value, json};

/// Makes a prediction, with all lines at once, or line by line if the reader predicts the order.
/// Leaves lines without an answer empty.
const PREDICT: &str = r#"
const press = (place) => {
    const check = [...place.querySelectorAll(":scope > button")].find((it) => it.textContent === "Check");
    check.click();
    if (place.querySelector(".said")?.textContent.endsWith("go on anyway.")) {
        check.click();
    }
};
const predict = (place, answers, isWrong = false) => {
    if (place.asks.choices.length === 0) {
        answer(place, answers, isWrong);
        press(place);
        return;
    }
    const asked = answers.map((line, at) => at).filter((at) => !place.asks.lines[at].given);
    for (const at of asked) {
        const fields = place.querySelectorAll("ol.lines > li :is(input, select)").length;
        const rows = place.querySelectorAll("ol.lines > li").length;
        if (fields === 0 || rows !== at + 1) {
            throw new Error(`${place.asks.id}: line ${at + 1} isn't the one that's asked for`);
        }
        answer(place, answers.map((line, other) => other === at ? line : ""), isWrong);
        press(place);
    }
};
"#;

/// Fills in a page's forms, checks them, and returns each form's message. `answers` contains each
/// form's lines, or the number of a choice, by the form's id.
const FILL: &str = r#"
(answers, isWrong) => [...document.querySelectorAll(".predict")].map((place) => {
    const { id, lines } = place.asks;
    if (lines) {
        predict(place, answers[id], isWrong);
    } else {
        place.querySelectorAll("input")[answers[id]].checked = true;
        press(place);
    }
    return {
        id,
        summary: place.querySelector(".summary").textContent,
        asked: (lines ?? [0]).filter((line) => !line.given).length,
        wrong: place.querySelectorAll("li.is-wrong, label.is-wrong").length,
    };
})
"#;

#[test]
fn each_prediction_can_be_made_rightly() -> Result<()> {
    let mut tab = forgetful_tab()?;
    let mut made = 0;
    for page in pages_that_ask()? {
        let answers = answers(&open(&mut tab, &page)?, true)?;
        for form in fill(&mut tab, &answers, false)? {
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
        let answers = answers(&open(&mut tab, &page)?, false)?;
        let filled = fill(&mut tab, &answers, true)?;
        for form in &filled {
            let summary = form["summary"].as_str().unwrap_or_default();
            let is_wrong = summary.starts_with("0 of ") || summary.starts_with("No: ");
            assert!(is_wrong, "{page}: {form}");
        }
        // The page remembers the prediction and offers no second try.
        tab.go_to("about:blank")?;
        tab.go_to(&on_disk(&page)?)?;
        let fields =
            "document.querySelectorAll('.predict :is(input, select):not(:disabled)').length";
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
            open(&mut tab, &page)?;
            let wrong: Vec<&Value> = asked.iter().map(|form| &form["wrong"][round]).collect();
            let said = tab.evaluate(&format!(
                "{{ const answer = {ANSWER}; {PREDICT} ({GIVE_WRONG})({}) }}",
                json!(wrong)
            ))?;
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

/// Gives each form one of its wrong answers and returns the message about the line.
const GIVE_WRONG: &str = r#"
(answers) => [...document.querySelectorAll(".predict")].flatMap((place, form) => {
    const wrong = answers[form];
    if (!wrong) {
        return [];
    }
    predict(place, Array.from({ length: wrong.at + 1 }, (_, at) => at === wrong.at ? wrong.line : ""));
    const row = place.querySelectorAll("ol.lines > li")[wrong.at];
    return [{
        wrong,
        shown: row.querySelector(".overlooks")?.textContent ?? null,
        overlooks: wrong.overlooks.replaceAll("`", ""),
        isWrong: row.matches(".is-wrong"),
    }];
})
"#;

#[test]
fn an_answer_that_is_no_number_is_not_taken_for_a_wrong_one() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step01.html")?;
    let form =
        "document.querySelector('.predict[data-id=\"step01_fd/descriptors_of_a_second_pipe\"]')";
    let check = format!("{form}.querySelector(':scope > button').click()");
    let fields = format!("{form}.querySelectorAll('input')");
    for _ in 0..2 {
        tab.evaluate(&format!("{fields}[0].value = 'the next'; {check}"))?;
        let said = tab.evaluate(&format!("{form}.querySelector('.said').textContent"))?;
        assert_eq!(said, "Enter a number in line 1, blank 1.");
    }
    tab.evaluate(&format!(
        "['n + 1', 'N', 'N+2'].forEach((text, at) => {fields}[at].value = text); {check}"
    ))?;
    let summary = tab.evaluate(&format!("{form}.querySelector('.summary').textContent"))?;
    assert_eq!(summary, "2 of 2 right.");
    Ok(())
}

#[test]
fn a_prediction_that_was_typed_before_there_were_words_to_choose_is_asked_for_again() -> Result<()>
{
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    tab.evaluate(
        "workbook.scores.note('step02_epoll/level_or_edge',
             { version: 'old', typed: ['', 'readable, none', 'b 7'], right: 1, of: 8 })",
    )?;
    open(&mut tab, "step02.html")?;
    let form = "document.querySelector('.predict[data-id=\"step02_epoll/level_or_edge\"]')";
    let says = tab.evaluate(&format!("{form}.querySelector('p').textContent"))?;
    let says = says.as_str().unwrap_or_default();
    assert!(says.starts_with("This scene has changed since you predicted it."), "{says}");
    assert_eq!(tab.evaluate("workbook.scores.get('step02_epoll/level_or_edge').right")?, 1);
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_prediction_with_empty_places_asks_once_before_it_counts() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    let form = "document.querySelector('.predict[data-id=\"step02_epoll/level_or_edge\"]')";
    let check = format!("{form}.querySelector(':scope > button')");
    let asks =
        tab.evaluate(&format!("({check}.click(), {form}.querySelector('.said').textContent)"))?;
    let asks = asks.as_str().unwrap_or_default();
    assert!(asks.ends_with("still empty. Press Check once more to go on anyway."), "{asks}");
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
    let first =
        "[...document.querySelector('.predict:has(ol.lines)').querySelectorAll('input, select')]";
    assert_eq!(tab.evaluate(&format!("{first}.every((field) => field.disabled)"))?, true);
    Ok(())
}

#[test]
fn the_keyboard_is_enough() -> Result<()> {
    let mut tab = Tab::open()?;
    open(&mut tab, "step02.html")?;
    tab.evaluate("document.querySelector('.predict ol.lines :is(input, select)').focus()")?;
    let count = tab.evaluate(
        "document.querySelector('.predict:has(ol.lines)').querySelectorAll('input, select').length",
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

/// Opens a tab without any predictions, whatever was predicted on the page before.
fn forgetful_tab() -> Result<Tab> {
    let mut tab = Tab::open()?;
    tab.before_each_page("location.href === 'about:blank' || localStorage.clear()")?;
    Ok(tab)
}

/// Opens a page afresh and returns its predictions.
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

fn fill(tab: &mut Tab, answers: &Value, is_wrong: bool) -> Result<Vec<Value>> {
    let filled = tab.evaluate(&format!(
        "{{ const answer = {ANSWER}; {PREDICT} ({FILL})({answers}, {is_wrong}) }}"
    ))?;
    Ok(filled.as_array().context("a list")?.clone())
}

/// Returns the answers to a page's forms. For a scene, they're the lines of the answer key, and
/// otherwise the number of the right choice or a wrong choice.
fn answers(asked: &[Value], right: bool) -> Result<Value> {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR"))?;
    let mut answers = json!({});
    for form in asked {
        let id = form["id"].as_str().context("an id")?;
        answers[id] = match form["answers"].as_array() {
            Some(choices) => json!(choices.iter().position(|choice| choice["right"] == right)),
            None => {
                let (package, scene) = id.split_once('/').context("PACKAGE/SCENE")?;
                let key = workbook.snapshots(package).join(format!("{scene}.snap"));
                let key = fs::read_to_string(&key).with_context(|| key.display().to_string())?;
                let (_, lines) = key.split_once("\n---\n").context("a header")?;
                let lines =
                    lines.trim_end().lines().zip(form["lines"].as_array().context("lines")?);
                let asked = lines.map(|(line, form)| if form["given"] == true { "" } else { line });
                json!(asked.collect::<Vec<&str>>())
            }
        };
    }
    Ok(answers)
}
