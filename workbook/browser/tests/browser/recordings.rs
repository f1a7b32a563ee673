//! Steps through every recorded run in the book to its end and back, using only the keyboard.

use std::fs;

use anyhow::{Context, Result};
use book_in_a_browser::predictions::predictions_of;
use book_in_a_browser::{Tab, axe, book, on_disk, pages};
use judging::workbook::Workbook;
use serde_json::{Value, json};

/// Puts the page's recordings into the window, with functions that open and examine them.
const PREPARE: &str = r#"
window.places = [...document.querySelectorAll("div.recording")];
window.recorded = places.map((place) => JSON.parse(place.querySelector("script").textContent));
window.open_all = () => {
    document.querySelectorAll("details:has(div.recording)").forEach((fold) => fold.open = true);
    places.forEach((place) => place.querySelector("details:not(.is-locked)")?.setAttribute("open", ""));
    return places.every((place) => place.querySelector(".player") !== null);
};
const fingerprint = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) | 0, 0);
window.shown = (place) => {
    const player = place.querySelector(".player");
    const text = (selector) => player.querySelector(selector).textContent;
    const printed = [...player.querySelectorAll(".printed li")]
        .filter((line) => getComputedStyle(line).visibility === "visible").map((line) => line.textContent);
    const tick = [...player.querySelectorAll("dt")].find((name) => name.textContent === "Tick");
    const { top } = player.getBoundingClientRect();
    return {
        step: Number(player.querySelector("input").value) + 1, spoken: player.querySelector("input").ariaValueText,
        count: text(".count"), what: text(".moment .what"), printed,
        tick: tick?.nextElementSibling.textContent ?? "",
        line: player.querySelector(".is-current")?.value ?? null,
        stage: fingerprint([...player.querySelectorAll(".stage *")].map((it) => it.className + it.textContent).join()),
        places: [...player.querySelectorAll(".box")].map((box) => Math.round(box.getBoundingClientRect().top - top)),
        height: player.offsetHeight,
    };
};
// All of a run's steps in one go, since the browser would paint the page after each key of a hand.
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
window.walk = (place) => {
    const { moments } = recorded[places.indexOf(place)];
    place.querySelector("button").focus();
    const shown_after = (key) => (press(key), shown(place));
    const forward = moments.map((_, at) => at === 0 ? shown(place) : shown_after("ArrowRight"));
    const back = moments.map((_, at) => at === 0 ? shown(place) : shown_after("ArrowLeft"));
    return { forward, back };
};
recorded"#;

/// A run of three moments, and an element for it.
const MADE_UP: &str = r#"
window.run = (what) => ({
    format: 1, package: "step07_full_loop", scene: "made_up",
    source: { file: "made_up.rs", parts: [{ first_line: 7, lines: ["fn made_up() {", "    say!(t, \"one\");", "}"] }] },
    transcript: ["one"],
    moments: [
        { line: 7, kind: "tick", what: "tick 1", printed: 0, ready: ["a", "b"], clock: "1s" },
        { line: 8, kind: "say", what, printed: 1, ready: ["b"] },
        { kind: "note", what: "the end", printed: 1, ready: [] },
    ],
});
window.place = document.querySelector("main").appendChild(document.createElement("div"));
window.press = (name) => [...place.querySelectorAll("button")].find((button) => button.textContent === name).click();
window.now = () => place.querySelector(".moment .what").textContent;
"#;

#[test]
fn each_recording_is_stepped_to_its_end_and_back_by_the_keyboard() -> Result<()> {
    let mut tab = forgetful_tab()?;
    tab.resize(1300, 900)?;
    let (mut recordings, mut steps) = (0, 0);
    for page in pages_with_recordings()? {
        for (index, recording) in open(&mut tab, &page)?.iter().enumerate() {
            let name = format!("{page}, {}", recording["scene"]);
            steps += step_through(&mut tab, index, recording).context(name)?;
            recordings += 1;
        }
        // mdBook's own arrows would lead to other chapters.
        assert_eq!(tab.evaluate("location.href")?, json!(on_disk(&page)?), "it stays on the page");
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    assert!(recordings > 19, "only {recordings} recordings were found");
    println!("{recordings} recordings, {steps} steps");
    Ok(())
}

/// Steps through a recording of the open page and returns the number of its moments.
fn step_through(tab: &mut Tab, index: usize, recording: &Value) -> Result<usize> {
    let name = &recording["scene"];
    let moments = recording["moments"].as_array().context("moments")?;
    let last = moments.len() - 1;
    let walked = tab.evaluate(&format!("walk(places[{index}])"))?;
    let (forward, back) = (&walked["forward"], &walked["back"]);
    let forward = forward.as_array().context("what was shown")?;
    assert_eq!(forward.len(), moments.len(), "{name}");
    let mut tick = "";
    for (at, (moment, shown)) in moments.iter().zip(forward).enumerate() {
        let count = format!("step {} of {}", at + 1, moments.len());
        assert_eq!(shown["count"], count.as_str(), "{name}");
        assert_eq!(shown["what"], moment["what"], "{name}");
        let what = moment["what"].as_str().context("a sentence")?;
        assert_eq!(shown["spoken"], format!("{count}: {what}"), "{name}");
        if moment["kind"] == "tick" {
            tick = what.trim_start_matches("tick ").split(':').next().unwrap_or_default();
        }
        assert_eq!(shown["tick"], tick, "{name}, {count}: the number of the tick");
        assert_eq!(shown["line"], moment["line"], "{name}, {count}: the source has that line");
        let printed = shown["printed"].as_array().context("lines")?.len();
        assert_eq!(json!(printed), moment["printed"], "{name}, {count}");
    }
    assert_eq!(forward[last]["printed"], json!(snapshot(recording)?), "{name}");
    let back = back.as_array().context("what was shown")?;
    assert!(back.iter().eq(forward.iter().rev()), "{name}: back is as forward");
    for moment in forward {
        for what in ["places", "height"] {
            assert_eq!(moment[what], forward[0][what], "{name} jumps at {}", moment["count"]);
        }
    }
    for (key, at) in [("End", last), ("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0)] {
        tab.press(key)?;
        assert_eq!(shown(tab, index)?["step"], json!(at + 1), "{name}: {key}");
    }
    Ok(moments.len())
}

/// The maximum number of lines in a prediction.
const MOST_LINES: usize = 12;

#[test]
fn the_recording_of_a_prediction_opens_after_it() -> Result<()> {
    let mut tab = Tab::open()?;
    let locked = "[...document.querySelectorAll('div.recording > details.is-locked')]";
    let mut count = 0;
    for page in pages_with_recordings()? {
        tab.go_to(&on_disk(&page)?)?;
        let names = format!("{locked}.map((fold) => fold.parentElement.dataset.scene)");
        let predicted = predicted(&page)?;
        assert_eq!(tab.evaluate(&names)?, json!(predicted), "{page}");
        if predicted.is_empty() {
            continue;
        }
        // Neither a click nor a key opens a locked recording.
        let closed = format!(
            "{locked}.every((fold) => !fold.open && fold.textContent === 'Step through this run, after your prediction')"
        );
        tab.evaluate(&format!("{locked}.forEach((fold) => fold.firstElementChild.click())"))?;
        assert_eq!(tab.evaluate(&closed)?, true, "{page}: a click");
        tab.evaluate(&format!("{locked}[0].firstElementChild.focus()"))?;
        tab.press("Enter")?;
        assert_eq!(tab.evaluate(&closed)?, true, "{page}: Enter");
        tab.evaluate(&format!("window.places = {locked}.map((fold) => fold.parentElement)"))?;
        // An empty prediction counts for readers who confirm it: if the order is the question, they
        // confirm it for each line that's asked.
        for _ in 0..2 * MOST_LINES {
            tab.evaluate(
                "document.querySelectorAll('.predict:has(ol.lines) > button').forEach((check) => check.click())",
            )?;
        }
        tab.wait_for(&format!("{locked}.length === 0"))?;
        // The run's explanation unfolds, as it does without a recording before it.
        let folded = tab.evaluate(
            "places.map((place) => place.nextElementSibling)
                 .filter((next) => next.textContent.startsWith('What happened') && !next.open).length",
        )?;
        assert_eq!(folded, 0, "{page}");
        tab.evaluate(PREPARE)?;
        tab.wait_for("open_all()")?;
        // The page remembers the prediction.
        tab.go_to("about:blank")?;
        tab.go_to(&on_disk(&page)?)?;
        assert_eq!(tab.evaluate(&format!("{locked}.length"))?, 0, "{page}");
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
        count += predicted.len();
    }
    assert!(count > 4, "only {count} recordings of predictions were found");
    Ok(())
}

#[test]
fn axe_finds_nothing_in_the_middle_of_a_run_and_nothing_sticks_out() -> Result<()> {
    let mut tab = forgetful_tab()?;
    let mut found = Vec::new();
    for (width, theme) in [(1300, "light"), (360, "navy")] {
        tab.resize(width, 900)?;
        tab.before_each_page(&format!("localStorage.setItem('mdbook-theme', '{theme}')"))?;
        for page in pages_with_recordings()? {
            open(&mut tab, &page)?;
            // In the middle, a value has changed, a line is printed, and a line is marked.
            tab.evaluate(
                "places.forEach((place) => {
                     const slider = place.querySelector('input');
                     slider.value = Math.ceil(slider.max / 2);
                     slider.dispatchEvent(new Event('input'));
                 })",
            )?;
            let too_wide = tab.evaluate(
                "places.map((place) => place.querySelector('.player'))
                     .filter((player) => player.scrollWidth > player.clientWidth).length",
            )?;
            assert_eq!(too_wide, 0, "{page}, {width} wide");
            for violation in axe::violations(&mut tab, "div.recording")? {
                found.push(format!("{page}, {theme}: {violation:#}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

#[test]
fn a_run_plays_by_itself_and_stops_at_its_end() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step07.html")?)?;
    tab.evaluate(MADE_UP)?;
    tab.evaluate("workbook.play_recording(place, run('one'))")?;
    tab.evaluate("place.querySelector('.player').focus()")?;
    tab.press(" ")?;
    assert_eq!(tab.evaluate("place.querySelector('.play').textContent")?, "Pause");
    tab.wait_for("now() === 'the end'")?;
    assert_eq!(tab.evaluate("place.querySelector('.play').textContent")?, "Play");
    // From the end, the player begins anew, and a step by the reader ends the playing.
    tab.press(" ")?;
    assert_eq!(tab.evaluate("now()")?, "tick 1");
    tab.press("ArrowRight")?;
    assert_eq!(tab.evaluate("place.querySelector('.play').textContent")?, "Play");
    tab.evaluate("press('«'), press('Next printed line')")?;
    assert_eq!(tab.evaluate("now()")?, "one");
    Ok(())
}

#[test]
fn a_step_shows_what_it_has_changed() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step07.html")?)?;
    tab.evaluate(MADE_UP)?;
    tab.evaluate("workbook.play_recording(place, run('one')); press('Next ›')")?;
    assert_eq!(tab.evaluate("place.querySelector('.gone').textContent")?, "gone: a");
    assert_eq!(tab.evaluate("place.querySelector('.printed .is-new').textContent")?, "one");
    let rows = "[...place.querySelector('.rows').children].map((row) => row.textContent)";
    assert_eq!(tab.evaluate(rows)?, json!(["b"]));
    let values = "[...place.querySelectorAll('dd')].map((value) => value.textContent)";
    assert_eq!(tab.evaluate(values)?, json!(["1", "1s"]), "tick and clock stay as they were");
    tab.evaluate("press('‹ Back')")?;
    assert_eq!(tab.evaluate(rows)?, json!(["a", "b"]));
    assert_eq!(tab.evaluate("place.querySelector('.gone').textContent")?, "");
    Ok(())
}

#[test]
fn two_runs_part_where_they_first_differ() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step07.html")?)?;
    tab.evaluate(MADE_UP)?;
    tab.evaluate(
        "window.other = run('two');
         other.moments[1].ready = ['c'];
         workbook.play_recording(place, run('one'), other);
         press('Where the runs differ')",
    )?;
    assert_eq!(tab.evaluate("now()")?, "one");
    let told = "[...place.querySelectorAll('.parting')].filter((it) => !it.hidden).map((it) => it.textContent)";
    assert_eq!(
        tab.evaluate(told)?,
        json!(["From here on, the two runs differ. In the other run: two · Ready queue: c"])
    );
    tab.evaluate("press('»')")?;
    assert_eq!(tab.evaluate(told)?, json!([]));
    // A run that ended earlier differs, too, and an equal run doesn't.
    tab.evaluate("window.short = run('one'); short.moments.pop(); workbook.play_recording(place, run('one'), short)")?;
    tab.evaluate("press('Where the runs differ')")?;
    assert_eq!(
        tab.evaluate(told)?,
        json!(["From here on, the two runs differ. The other run has ended."])
    );
    tab.evaluate("workbook.play_recording(place, run('one'), run('one'))")?;
    assert_eq!(tab.evaluate("place.textContent.includes('part')")?, false);
    Ok(())
}

#[test]
fn a_recording_is_not_printed() -> Result<()> {
    let mut tab = forgetful_tab()?;
    for page in pages_with_recordings()? {
        open(&mut tab, &page)?;
        let hidden = "places.every((place) => place.offsetHeight === 0)";
        assert_eq!(tab.evaluate(hidden)?, false, "{page}");
        tab.call("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
        assert_eq!(tab.evaluate(hidden)?, true, "{page}");
        tab.call("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    }
    let printed = fs::read_to_string(book()?.join("print.html"))?;
    assert!(
        !printed.contains("class=\"recording\""),
        "the printed book has no data for the player"
    );
    Ok(())
}

fn pages_with_recordings() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for page in pages()? {
        if fs::read_to_string(book()?.join(&page))?.contains("class=\"recording\"") {
            found.push(page);
        }
    }
    Ok(found)
}

/// Opens a tab without any predictions, whatever was predicted on the page before.
fn forgetful_tab() -> Result<Tab> {
    let mut tab = Tab::open()?;
    let forget = "localStorage.removeItem('event-loop-workbook.predictions')";
    tab.before_each_page(&format!("location.href === 'about:blank' || {forget}"))?;
    Ok(tab)
}

/// Opens a page with all its recordings and returns the recordings. Also opens the answers to the
/// page's predictions, so that there's nothing left to predict.
fn open(tab: &mut Tab, page: &str) -> Result<Vec<Value>> {
    tab.go_to(&on_disk(page)?)?;
    let recorded = tab.evaluate(PREPARE)?;
    tab.evaluate(
        "document.querySelectorAll('details.transcript').forEach((fold) => fold.open = true)",
    )?;
    tab.wait_for("open_all()")?;
    Ok(recorded.as_array().context("recordings")?.clone())
}

fn shown(tab: &mut Tab, index: usize) -> Result<Value> {
    tab.evaluate(&format!("shown(places[{index}])"))
}

/// Returns the recorded scenes that a page asks the reader to predict, according to the builder's
/// data.
fn predicted(page: &str) -> Result<Vec<String>> {
    let html = fs::read_to_string(book()?.join(page))?;
    let asked: Vec<Value> =
        predictions_of(page)?.into_iter().map(|mut asked| asked["id"].take()).collect();
    let recordings = html.split("<div class=\"recording\"").skip(1);
    let scenes = recordings.filter_map(|it| it.split("data-scene=\"").nth(1)?.split('"').next());
    Ok(scenes.filter(|scene| asked.contains(&json!(scene))).map(str::to_owned).collect())
}

/// Returns the lines of a recorded scene's snapshot.
fn snapshot(recording: &Value) -> Result<Vec<String>> {
    let name = |key: &str| recording[key].as_str().context("a name");
    let step = Workbook::of(env!("CARGO_MANIFEST_DIR"))?.step(name("package")?);
    let file = step.join(format!("tests/snapshots/{}.snap", name("scene")?));
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let (_, lines) = text.split_once("\n---\n").context("a header")?;
    Ok(lines.trim_end().lines().map(str::to_owned).collect())
}

#[test]
fn the_address_of_a_step_opens_a_recording_there_unless_its_scene_is_still_to_be_predicted()
-> Result<()> {
    let mut tab = Tab::open()?;
    let open = "[...document.querySelectorAll('.recording > details[open] .count')].map((it) => it.textContent)";
    let page = on_disk("step07.html")?;
    // Tall recordings wait until the reader opens them.
    tab.go_to(&page)?;
    assert_eq!(tab.evaluate(open)?, json!([]));
    tab.go_to("about:blank")?;
    tab.go_to(&format!("{page}#recording-self_scheduling_callback-4"))?;
    assert_eq!(tab.evaluate(open)?, json!(["step 4 of 28"]));
    tab.evaluate("location.hash = document.querySelector('.count').hash.replace(/4$/, '7')")?;
    tab.wait_for(&format!("{open}[0] === 'step 7 of 28'"))?;
    tab.evaluate("location.hash = '#recording-order_in_a_tick-3'")?;
    assert_eq!(tab.evaluate(open)?.as_array().map(Vec::len), Some(1));
    Ok(())
}
