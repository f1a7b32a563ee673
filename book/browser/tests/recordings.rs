//! Every recorded run of the book is stepped to its end and back, by the keyboard alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use book_in_a_browser::{Tab, book, on_disk, pages};
use serde_json::{Value, json};

/// What a page's script may see of the recordings in it, and how it opens them.
const PREPARE: &str = r#"
window.places = [...document.querySelectorAll("div.recording")];
window.recorded = places.map((place) => JSON.parse(place.querySelector("script").textContent));
// A prediction's answer is opened: then there's nothing left to predict.
document.querySelectorAll("details.transcript").forEach((fold) => fold.open = true);
window.opened = () => {
    places.forEach((place) => {
        const fold = place.querySelector("details");
        fold.open = !fold.matches(".is-locked");
    });
    return places.every((place) => place.querySelector(".player") !== null);
};
window.shown = (index) => {
    const player = places[index].querySelector(".player");
    const text = (selector) => player.querySelector(selector).textContent;
    const printed = [...player.querySelectorAll(".printed li")]
        .filter((line) => getComputedStyle(line).visibility === "visible").map((line) => line.textContent);
    const { top } = player.getBoundingClientRect();
    return {
        step: Number(player.querySelector("input").value) + 1,
        count: text(".count"), what: text(".moment .what"), printed,
        stage: player.querySelector(".stage").innerHTML,
        height: player.offsetHeight,
        tops: [...player.querySelectorAll(".box")].map((box) => Math.round(box.getBoundingClientRect().top - top)),
    };
};
places.length"#;

/// Two runs of three moments, which part at the second.
const TWO_RUNS: &str = r#"
window.run = (what) => ({
    format: 1, package: "step07_full_loop", scene: "made_up",
    source: { file: "made_up.rs", first_line: 7, lines: ["fn made_up() {", "    say!(t, \"one\");", "}"] },
    transcript: ["one"],
    moments: [
        { line: 7, kind: "tick", what: "tick 1", printed: 0, ready: ["a", "b"] },
        { line: 8, kind: "say", what, printed: 1, ready: ["b"] },
        { kind: "note", what: "the end", printed: 1, ready: [] },
    ],
});
window.place = document.querySelector("main").appendChild(document.createElement("div"));
"#;

#[test]
fn each_recording_is_stepped_to_its_end_and_back_by_the_keyboard() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.resize(1300, 900)?;
    let (mut recordings, mut steps) = (0, 0);
    for page in pages()? {
        for (index, recording) in open(&mut tab, &page)?.iter().enumerate() {
            let name = format!("{page}, {}", recording["scene"]);
            let moments = recording["moments"].as_array().context("moments")?;
            tab.evaluate(&format!("places[{index}].querySelector('button').focus()"))?;
            let mut forward = Vec::new();
            for (at, moment) in moments.iter().enumerate() {
                if at > 0 {
                    tab.press("ArrowRight")?;
                }
                let shown = shown(&mut tab, index)?;
                let count = format!("step {} of {}", at + 1, moments.len());
                assert_eq!(shown["count"], count.as_str(), "{name}");
                assert_eq!(shown["what"], moment["what"], "{name}");
                let printed = shown["printed"].as_array().context("lines")?.len();
                assert_eq!(Some(printed as u64), moment["printed"].as_u64(), "{name}, {count}");
                forward.push(shown);
            }
            let end = forward.last().context("a recording has a moment")?;
            assert_eq!(end["printed"], json!(snapshot(recording)?), "{name}");
            for at in (0..moments.len() - 1).rev() {
                tab.press("ArrowLeft")?;
                assert_eq!(shown(&mut tab, index)?, forward[at], "{name}: back at step {}", at + 1);
            }
            for shown in &forward {
                assert_eq!(shown["tops"], forward[0]["tops"], "{name}: it jumps at {}", shown["count"]);
                assert_eq!(shown["height"], forward[0]["height"], "{name} at {}", shown["count"]);
            }
            for (key, at) in [("End", moments.len() - 1), ("ArrowRight", moments.len() - 1), ("Home", 0), ("ArrowLeft", 0)] {
                tab.press(key)?;
                assert_eq!(shown(&mut tab, index)?["step"], at + 1, "{name}: {key}");
            }
            recordings += 1;
            steps += moments.len();
        }
        assert_eq!(tab.evaluate("location.href")?, json!(on_disk(&page)?), "the arrows stay on the page");
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    assert!(recordings > 19, "only {recordings} recordings were found");
    println!("{recordings} recordings, {steps} steps");
    Ok(())
}

#[test]
fn the_recording_of_a_prediction_opens_after_it() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.resize(1300, 900)?;
    for page in pages()? {
        clear(&mut tab, &page)?;
        let locked = "[...document.querySelectorAll('div.recording > details.is-locked')]";
        let count = tab.evaluate(&format!("{locked}.length"))?.as_u64().context("a count")?;
        let predicted = "[...document.querySelectorAll('div.recording')].filter((place) =>
            [...document.querySelectorAll('.predict')].some((form) => form.compareDocumentPosition(place) & 4
                && place.dataset.scene === form.dataset.scene)).length";
        let _ = predicted;
        if count == 0 {
            continue;
        }
        // Neither a click nor a key opens one.
        tab.evaluate(&format!("{locked}.forEach((fold) => fold.firstElementChild.click())"))?;
        tab.evaluate(&format!("{locked}[0].firstElementChild.focus()"))?;
        tab.press("Enter")?;
        let closed = format!("{locked}.every((fold) => !fold.open && fold.children.length === 1)");
        assert_eq!(tab.evaluate(&closed)?, true, "{page}");
        let says = format!("{locked}.every((fold) => fold.textContent === 'Step through this run, after your prediction')");
        assert_eq!(tab.evaluate(&says)?, true, "{page}");
        // Checked with nothing written, it's a prediction, too.
        tab.evaluate(
            "document.querySelectorAll('.predict').forEach((form) =>
                [...form.querySelectorAll(':scope > button')].find((it) => it.textContent === 'Check').click())",
        )?;
        tab.wait_for(&format!("{locked}.length === 0"))?;
        tab.evaluate("document.querySelectorAll('div.recording summary').forEach((summary) => summary.click())")?;
        // The page remembers it.
        tab.go_to("about:blank")?;
        tab.go_to(&on_disk(&page)?)?;
        assert_eq!(tab.evaluate(&format!("{locked}.length"))?, 0, "{page}");
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    Ok(())
}
