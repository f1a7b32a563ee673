//! The page `/loop`: the ticks of the loop that serves it, and the ticks in a recorded trace.

use anyhow::{Context, Result, ensure};
use book_in_a_browser::cockpit::{Cockpit, click, open, text, wait};
use book_in_a_browser::{Tab, axe};
use serde_json::{Value, json};

use crate::cockpit::fake;

/// A trace of Python on the loop, as `WORKBOOK_TRACE` writes it: a client connects, its handler
/// runs in the next tick and is slow, and it wakes another task. The last two lines are another
/// loop's only tick and a line that was cut off.
const TRACE: &str = r#"{"loop":1,"tick":1,"began":0,"timeout":null,"why":"nothing","slept":1.5,"events":[{"source":"callbacks","fd":6,"ready":["read"],"reader":"beyond/python/extension/src/event_loop.rs:1"}],"due":[],"ran":[{"what":"callback","created_at":"beyond/python/extension/src/event_loop.rs:1","name":"BaseSelectorEventLoop._accept_connection","by":{"event":0},"took":0.0002}],"took":1.5004}
{"loop":1,"tick":2,"began":1.5004,"timeout":0,"why":"ready","slept":0,"events":[],"due":[],"ran":[{"what":"callback","created_at":"beyond/python/extension/src/event_loop.rs:1","name":"Task-7: slow_handler()","by":{"run":0},"took":0.31}],"took":0.3101}
{"loop":1,"tick":3,"began":1.8105,"timeout":0.5,"why":"timer","slept":0.5,"events":[],"due":[{"what":"callback","created_at":"beyond/python/extension/src/event_loop.rs:2"}],"ran":[{"what":"callback","created_at":"beyond/python/extension/src/event_loop.rs:2","name":"Task-8: heartbeat()","by":{"timer":0},"took":0.0001}],"took":0.5002}
{"loop":2,"tick":1,"began":0,"timeout":0,"why":"ready","slept":0,"events":[],"due":[],"ran":[],"took":0.001}
{"loop":1,"tick":4,"began":2.31
"#;

/// A tick on a virtual clock.
const VIRTUAL: &str = r#"{"loop":1,"tick":1,"began":0,"timeout":0,"why":"ready","slept":0,"events":[],"due":[],"ran":[{"what":"step","task":"server","created_at":"play.rs:68","took":0}],"took":0}
"#;

/// Returns the things in one of the picture's boxes.
fn things(of: &str) -> String {
    format!(
        "[...document.querySelectorAll('.{of} .thing')].map((it) => it.innerText.replaceAll('\\n', ' ')).join('; ')"
    )
}

const CAPTION: &str = "document.querySelector('.caption').textContent";

/// Opens the page on a separate server, with the workbook's sources if they're asked for.
fn on_loop(tab: &mut Tab, cockpit: &Cockpit) -> Result<()> {
    open(tab, cockpit, "loop")?;
    wait(tab, "document.querySelector('.state dd') !== null")
}

/// Chooses this file as a reader would.
fn choose(tab: &mut Tab, trace: &str) -> Result<()> {
    let script = format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{}], 'trace.json')); \
         const input = document.querySelector('#loop input[type=file]'); input.files = files.files; \
         input.dispatchEvent(new Event('change')); }})()",
        json!(trace)
    );
    tab.evaluate(&script).map(drop)
}

#[test]
fn the_loop_shows_its_ticks_and_what_makes_them_late() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "loop")?;
    wait(&mut tab, "document.querySelector('.state dd') !== null")?;
    click(&mut tab, "#loop", "Block the loop for 200 ms")?;
    wait(
        &mut tab,
        "[...document.querySelectorAll('tr.is-late')].some((row) => row.textContent.includes('POST /cockpit/block'))",
    )?;
    let fact = |name: &str| {
        format!(
            "Number([...document.querySelectorAll('.state div')].find((it) => it.textContent.startsWith('{name}')).lastChild.textContent)"
        )
    };
    wait(
        &mut tab,
        "[...document.querySelectorAll('.held li')].some((it) => /^\\d+: the connection from 127.0.0.1/.test(it.textContent))",
    )?;
    wait(
        &mut tab,
        "[...document.querySelectorAll('.held li')].some((it) => it.textContent.endsWith(\"sees the loop's ticks\"))",
    )?;
    let before = tab.evaluate(&fact("connections"))?.as_f64().context("a number")?;
    click(&mut tab, "#loop", "Open idle connections")?;
    wait(
        &mut tab,
        "document.querySelector('.said').textContent.startsWith('A process has opened')",
    )?;
    wait(&mut tab, &format!("{} > {}", fact("connections"), before + 100.0))?;
    // The connected clients, and the events that the kernel watches for them.
    let listed = |title: &str| {
        format!(
            "[...document.querySelectorAll('.held section')].find((it) => it.textContent.startsWith('{title}')).textContent"
        )
    };
    let clients = text(&mut tab, &listed("Connected clients"))?;
    assert!(clients.contains("hasn't sent a request yet") && clients.contains("more"), "{clients}");
    assert!(text(&mut tab, &listed("Registered"))?.contains("too many to list"));
    assert!(text(&mut tab, &listed("Timers"))?.contains("in "));
    // The page's own work isn't shown.
    let shown = text(&mut tab, "document.querySelector('.ticks').textContent")?;
    assert!(!shown.contains("shows /loop") && !shown.contains("/cockpit/events"), "{shown}");
    // A watch continues for a while after its page is gone.
    let mut page = Tab::open()?;
    open(&mut page, &cockpit, "step01.html")?;
    let judged = |words: &str| {
        format!(
            "document.querySelector('.state').textContent.includes('judged on every save{words}')"
        )
    };
    wait(&mut tab, &judged("step01_fd by 1 page"))?;
    page.go_to("about:blank")?;
    wait(&mut tab, &judged("step01_fd, whose page was closed and may come back"))?;
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn one_tick_on_shows_a_tick_and_a_click_says_what_a_thing_is_with_the_line_that_made_it()
-> Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let cockpit = Cockpit::start(&root, 0, None)?;
    let mut tab = Tab::open()?;
    on_loop(&mut tab, &cockpit)?;
    click(&mut tab, "#loop", "Pause")?;
    tab.evaluate("fetch('step01.html').then((answer) => answer.text())")?;
    // The text has the request as soon as the page has heard of it.
    wait(&mut tab, "document.querySelector('.ticks').textContent.includes('GET /step01.html')")?;
    let request = "[...document.querySelectorAll('.runs .thing')].find((it) => it.textContent.startsWith('GET /step01.html'))";
    let mut steps = 0;
    while !tab.is_true(&format!("{request} !== undefined"))? {
        ensure!(steps < 500, "no tick has served the page: {}", text(&mut tab, CAPTION)?);
        click(&mut tab, "#loop", "One tick on")?;
        let stepped = text(&mut tab, CAPTION)?;
        ensure!(stepped.contains("the tick is over; the loop was busy for"), "{stepped}");
        steps += 1;
    }
    // A paused picture stays, and screen readers read out each single step.
    let paused = text(&mut tab, CAPTION)?;
    assert_eq!(tab.evaluate("document.querySelector('.caption').ariaLive")?, "polite");
    tab.evaluate(&format!("{request}.click()"))?;
    wait(&mut tab, "document.querySelector('.told .is-meant') !== null")?;
    let told = text(&mut tab, "document.querySelector('.told').innerText")?;
    assert!(told.starts_with("A step of the task GET /step01.html."), "{told}");
    assert!(told.contains("It was queued by ") && told.contains("beyond/ecosystem/src/serve.rs:"));
    let line = text(&mut tab, "document.querySelector('.told .is-meant').textContent")?;
    assert!(line.contains("create_task("), "{line}");
    assert_eq!(text(&mut tab, CAPTION)?, paused);
    // Whatever happens later, the paused picture stays the same.
    let held =
        "['.descriptors', '.timers'].map((it) => document.querySelector(it).innerText).join()";
    let before = text(&mut tab, held)?;
    assert!(before.contains("silent"), "{before}");
    click(&mut tab, "#loop", "Open idle connections")?;
    wait(&mut tab, "Number(document.querySelector('.state dd').textContent) > 100")?;
    tab.evaluate(
        "(() => { const seek = document.querySelector('.seek'); for (const to of ['0', seek.value]) { \
         seek.value = to; seek.dispatchEvent(new Event('input')); } })()",
    )?;
    assert_eq!(text(&mut tab, held)?, before);
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_blocked_tick_is_seen_at_once_by_all_who_look() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let (mut tab, mut other) = (Tab::open()?, Tab::open()?);
    on_loop(&mut tab, &cockpit)?;
    on_loop(&mut other, &cockpit)?;
    // Each page slowly plays the earlier ticks. A busy machine makes other ticks late, too.
    let sees = "new Promise((saw) => setInterval(() => {
        const it = (name) => document.querySelector(name);
        const told = /^The loop was blocked for .*, in tick (\\d+): “POST .cockpit.block” ran for \\d+ ms/.exec(it('.blocked').textContent);
        const tick = Number(told?.[1]).toLocaleString('en');
        told && saw(it('.caption').textContent.startsWith(`Tick ${tick}:`) && it('.stage').matches('.is-late'));
    }, 10))";
    for page in [&mut tab, &mut other] {
        page.evaluate(
            "(() => { const speed = document.querySelector('.controls select'); speed.value = '0.25'; \
             speed.dispatchEvent(new Event('change')); })()",
        )?;
        page.evaluate("fetch('step01.html').then((answer) => answer.text())")?;
        page.evaluate(&format!("window.sees = {sees}; true"))?;
    }
    wait(&mut tab, "document.querySelector('.ticks').textContent.includes('GET /step01.html')")?;
    click(&mut tab, "#loop", "Block the loop for 200 ms")?;
    for page in [&mut tab, &mut other] {
        assert_eq!(page.evaluate("window.sees")?, true);
    }
    Ok(())
}

#[test]
fn a_recorded_trace_shows_the_names_of_what_ran_and_what_was_slow() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let mut tab = Tab::open()?;
    on_loop(&mut tab, &cockpit)?;
    let said = "document.querySelector('.said').textContent";
    choose(&mut tab, "hello\n")?;
    wait(&mut tab, &format!("{said}.startsWith('trace.json has no ticks')"))?;
    choose(&mut tab, TRACE)?;
    wait(&mut tab, &format!("{said}.startsWith('trace.json: 3 ticks')"))?;
    assert_eq!(
        text(&mut tab, said)?,
        "trace.json: 3 ticks of loop 1, the busiest of 2, in 2.3 s. Lines that aren't ticks: 1."
    );
    // The slowest run comes first and leads to its tick.
    let longest = "document.querySelector('.longest tbody tr')";
    let first = text(&mut tab, &format!("{longest}.innerText"))?;
    assert!(first.starts_with("Task-7: slow_handler()") && first.contains("310 ms"), "{first}");
    tab.evaluate(&format!("{longest}.querySelector('button').click()"))?;
    assert_eq!(text(&mut tab, CAPTION)?, "Tick 2: the tick is over; the loop was busy for 310 ms.");
    assert_eq!(text(&mut tab, &things("runs"))?, "Task-7: slow_handler() 310 ms");
    assert_eq!(
        tab.evaluate("document.querySelectorAll('.stage.is-late .runs .is-late').length")?,
        1
    );
    assert_eq!(text(&mut tab, &things("timers"))?, "timer of event_loop.rs:2 in 500 ms");
    // In the previous tick, there was no timer: the loop could have slept forever.
    click(&mut tab, "#loop", "One tick back")?;
    assert_eq!(text(&mut tab, &things("timers"))?, "");
    assert_eq!(text(&mut tab, &things("descriptors"))?, "fd 6 is readable callbacks");
    // That tick has queued the handler, which waits for the next tick.
    assert_eq!(text(&mut tab, &things("queue"))?, "Task-7: slow_handler()");
    assert_eq!(tab.evaluate("document.querySelectorAll('.stage svg path').length")?, 2);
    // Played from there, the film goes through the parts of each tick and stops at the end.
    tab.evaluate("document.querySelector('.controls select').value = '4'; document.querySelector('.controls select').dispatchEvent(new Event('change'))")?;
    click(&mut tab, "#loop", "Play")?;
    wait(
        &mut tab,
        &format!(
            "{CAPTION} === 'Tick 3: the loop sleeps for 500 ms. What wakes it: the deadline of timer of event_loop.rs:2.'"
        ),
    )?;
    wait(&mut tab, "document.querySelector('.controls button').textContent === 'Play'")?;
    assert_eq!(text(&mut tab, &things("runs"))?, "Task-8: heartbeat() 100 µs");
    // On a virtual clock, no run is the longest.
    choose(&mut tab, VIRTUAL)?;
    wait(&mut tab, &format!("{said}.startsWith('trace.json: 1 ticks')"))?;
    assert_eq!(
        text(&mut tab, "document.querySelector('.longest tbody').innerText")?,
        "No step or callback took measurable time, as usual on a virtual clock."
    );
    // The page can still go back to the loop that serves it.
    click(&mut tab, "#loop", "Back to the loop that serves you")?;
    wait(&mut tab, "document.querySelector('.state').textContent.startsWith('connections')")?;
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn an_exported_trace_has_the_events_that_perfetto_draws() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let mut tab = Tab::open()?;
    on_loop(&mut tab, &cockpit)?;
    choose(&mut tab, TRACE)?;
    wait(&mut tab, "document.querySelector('.said').textContent.startsWith('trace.json: 3')")?;
    let keep =
        "URL.createObjectURL = (blob) => { window.exported = blob.text(); return 'data:,'; }";
    tab.evaluate(&format!("({keep}, true)"))?;
    click(&mut tab, "#loop", "Export for Perfetto")?;
    let exported = tab.evaluate("window.exported")?;
    let exported: Value = serde_json::from_str(exported.as_str().context("a text")?)?;
    let events = exported["traceEvents"].as_array().context("events")?;
    let named = |name: &str| {
        let found = events.iter().find(|event| event["name"] == name);
        found.with_context(|| format!("no {name} in {exported:#}"))
    };
    // The handler runs after its tick's beginning, in microseconds.
    let handler = named("Task-7: slow_handler()")?;
    assert_eq!(
        (&handler["ph"], &handler["ts"], &handler["dur"]),
        (&json!("X"), &json!(1_500_400), &json!(310_000))
    );
    assert_eq!(
        handler["args"]["queued by"],
        "“BaseSelectorEventLoop._accept_connection”, in the previous tick"
    );
    assert_eq!(named("asleep")?["dur"], json!(1_500_000));
    assert_eq!(named("tick 3")?["args"]["due"], json!(["timer of event_loop.rs:2"]));
    for event in events.iter().filter(|event| event["ph"] == "X") {
        ensure!(
            event["ts"].is_number() && event["dur"].is_number() && event["tid"].is_u64(),
            "{event}"
        );
    }
    Ok(())
}

#[test]
fn the_picture_can_be_read_by_everyone() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let mut tab = Tab::open()?;
    let mut found = Vec::new();
    for (width, scheme) in [(1200, "light"), (1200, "dark"), (400, "light"), (400, "dark")] {
        tab.resize(width, 900)?;
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        tab.call("Emulation.setEmulatedMedia", json!({ "features": features }))?;
        on_loop(&mut tab, &cockpit)?;
        choose(&mut tab, TRACE)?;
        wait(&mut tab, "document.querySelector('.runs .thing.is-now') !== null")?;
        // For readers who don't want motion, nothing moves.
        assert_eq!(tab.evaluate("document.querySelector('.stage').getAnimations({ subtree: true }).filter((it) => !(it instanceof CSSTransition)).length")?, 0);
        click(&mut tab, "#loop", "One tick on")?;
        tab.evaluate("document.querySelector('.runs .thing').click()")?;
        tab.evaluate("document.querySelector('.as-text').open = true")?;
        let violations = axe::violations(&mut tab, "main")?;
        found.extend(violations.iter().map(|it| format!("{width}, {scheme}: {it:#}")));
        // axe can't judge the contrast of text over a picture, such as the threads.
        tab.evaluate("document.querySelector('.board > svg').remove()")?;
        let violations = axe::violations(&mut tab, ".stage")?;
        let wide = tab.evaluate("document.documentElement.scrollWidth - innerWidth")?;
        ensure!(wide.as_f64().unwrap_or(1.0) <= 0.0, "/loop at {width} is too wide by {wide}");
        found.extend(violations.iter().map(|it| format!("{width}, {scheme}: {it:#}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}
