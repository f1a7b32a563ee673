//! A reader in the cockpit: from an empty notebook to a green step, without the terminal.
//!
//!     cargo run -p book && cargo build -p cockpit
//!     cargo test --manifest-path workbook/browser/Cargo.toml cockpit

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, ensure};
use book_in_a_browser::cockpit::{Cockpit, click, open, text, wait};
use book_in_a_browser::{Tab, axe, on_disk};
use serde_json::json;
use tempfile::TempDir;

/// The exercises of step 01: their numbers, functions and files.
const EXERCISES: [(&str, &str, &str); 6] = [
    ("1.1", "pipe", "step01_fd/src/create.rs"),
    ("1.2", "pipe_with_capacity", "step01_fd/src/create.rs"),
    ("1.3", "set_nonblocking", "step01_fd/src/create.rs"),
    ("1.5", "read", "step01_fd/src/io.rs"),
    ("1.6", "write", "step01_fd/src/io.rs"),
    ("1.7", "flush", "step01_fd/src/outbox.rs"),
];

#[test]
fn a_reader_gets_from_an_empty_notebook_to_a_green_step_without_the_terminal() -> Result<()> {
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    let first = "#exercise-1-1";
    wait(&mut tab, &format!("document.querySelector('{first}').dataset.state === 'not written'"))?;
    wait(&mut tab, &format!("document.querySelector('{first} .cockpit').open"))?;
    wait(&mut tab, "document.querySelector('.verdict .words')?.textContent.includes('1.1 pipe')")?;
    wait(&mut tab, "document.querySelectorAll('.cockpit-progress li').length === 8")?;
    let link = text(&mut tab, &format!("document.querySelector('{first} .where a').href"))?;
    let path = cockpit.root.join("work/step01_fd/src/create.rs");
    assert!(link.starts_with(&format!("vscode://file{}:", path.display())), "{link}");

    // A hint, then another hint.
    click(&mut tab, first, "Hint 1 of 3")?;
    wait(&mut tab, &format!("document.querySelectorAll('{first} .hints li').length === 1"))?;
    click(&mut tab, first, "Hint 2 of 3")?;
    wait(&mut tab, &format!("document.querySelectorAll('{first} .hints li').length === 2"))?;

    // A body that doesn't compile.
    let (_, name, file) = EXERCISES[0];
    cockpit.write(file, name, "\n    no_such_function()\n")?;
    wait(
        &mut tab,
        "document.querySelector('.verdict .problem.is-error')?.textContent.includes('E0425')",
    )?;
    wait(
        &mut tab,
        &format!("document.querySelector('{first}').dataset.state === 'does not compile'"),
    )?;

    // Resetting the exercise asks first and shows the body that would be lost.
    click(&mut tab, first, "Reset")?;
    wait(
        &mut tab,
        "document.querySelector('dialog[open]')?.textContent.includes('no_such_function')",
    )?;
    tab.evaluate("[...document.querySelectorAll('dialog button')].find((it) => it.textContent === 'Cancel').click()")?;
    assert!(fs::read_to_string(&path)?.contains("no_such_function"));
    click(&mut tab, first, "Reset")?;
    wait(&mut tab, "document.querySelector('dialog[open]') !== null")?;
    tab.evaluate("[...document.querySelectorAll('dialog button')].find((it) => it.textContent === 'Reset it').click()")?;
    wait(&mut tab, &format!("document.querySelector('{first}').dataset.state === 'not written'"))?;
    assert!(!fs::read_to_string(&path)?.contains("no_such_function"));

    // A wrong body: the expected lines are beside the reader's.
    let wrong =
        "\n    Ok(std::io::pipe().map(|(reader, writer)| (reader.into(), writer.into()))?)\n";
    cockpit.write(file, name, wrong)?;
    wait(&mut tab, &format!("document.querySelector('{first}').dataset.state === 'red'"))?;
    wait(
        &mut tab,
        &format!("document.querySelectorAll('{first} .difference tr.differs').length > 0"),
    )?;

    for (number, name, file) in EXERCISES {
        let id = format!("#exercise-{}", number.replace('.', "-"));
        cockpit.write_right(file, name)?;
        wait(&mut tab, &format!("document.querySelector('{id}').dataset.state === 'green'"))?;
        assert_eq!(
            tab.evaluate(&format!("document.querySelector('{id} .yours-first').open"))?,
            true
        );
        assert!(
            text(&mut tab, &format!("document.querySelector('{id} .yours').textContent"))?
                .contains(&format!("fn {name}"))
        );
    }
    wait(&mut tab, "document.querySelector('.cockpit-progress li')?.textContent.includes('7/7')")?;

    // A bug opens once its exercise is green.
    open(&mut tab, &cockpit, "hunt.html")?;
    wait(&mut tab, "document.querySelector('.hunt[data-number=\"2.1\"]').hidden")?;
    let says = text(
        &mut tab,
        "document.querySelector('.hunt[data-number=\"2.1\"]').previousElementSibling.innerText",
    )?;
    assert_eq!(says, "This bug appears here once your 2.1 milliseconds is green.");
    let closed = "[...document.querySelectorAll('.hunt[data-number^=\"1.\"]')].filter((it) => it.hidden).length";
    assert_eq!(tab.evaluate(closed)?, 0);
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_scene_is_played_by_keyboard_alone() -> Result<()> {
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    wait(&mut tab, "document.querySelector('.exercise[data-state] .cockpit button') !== null")?;
    press_until(
        &mut tab,
        "document.activeElement.getAttribute('aria-label') === 'play offset_of_a_duplicate on the reference'",
    )?;
    tab.press("Enter")?;
    let played = "document.querySelector('[aria-label=\"what offset_of_a_duplicate prints\"]')";
    wait(
        &mut tab,
        &format!("{played}.parentElement.querySelector('.said').textContent === \"That's all.\""),
    )?;
    let shown = text(
        &mut tab,
        &format!("[...{played}.querySelectorAll('.line')].map((it) => it.textContent).join('\\n')"),
    )?;
    let expected = text(
        &mut tab,
        &format!("{played}.closest('.cockpit-play').nextElementSibling.textContent.trimEnd()"),
    )?;
    assert_eq!(shown, expected);

    press_until(&mut tab, "document.activeElement.textContent.startsWith('Hint 1')")?;
    tab.press("Enter")?;
    wait(&mut tab, "document.querySelectorAll('.hints li').length === 1")?;
    press_until(&mut tab, "document.activeElement.textContent === 'Reveal'")?;
    tab.press("Enter")?;
    wait(&mut tab, "document.querySelector('dialog[open]') !== null")?;
    press_until(&mut tab, "document.activeElement.textContent === 'Cancel'")?;
    tab.press("Enter")?;
    wait(&mut tab, "document.querySelector('dialog[open]') === null")?;
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn progress_that_cannot_be_shown_says_why() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    let said = "Your progress can't be shown: the path is unknown";
    wait(
        &mut tab,
        &format!("document.querySelector('.cockpit-progress').textContent === {}", json!(said)),
    )?;
    Ok(())
}

#[test]
fn a_page_connects_again_after_the_server_was_started_again() -> Result<()> {
    let (root, _) = fake()?;
    let cargo = root.path().join("cargo");
    let cockpit = Cockpit::start(root.path(), 0, Some(&cargo))?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    wait(&mut tab, "document.querySelector('.cockpit') !== null")?;
    wait(&mut tab, "document.querySelector('.cockpit-banner').textContent === 'it has begun'")?;
    let port: u16 = cockpit.origin.rsplit(':').next().context("a port")?.parse()?;
    drop(cockpit);
    let says = format!(
        "The server isn't answering. To go on, type cargo run -p book -- serve --port {port}"
    );
    let banner = "document.querySelector('.cockpit-banner').textContent";
    wait(&mut tab, &format!("{banner}.startsWith({})", json!(says)))?;
    let again = Cockpit::start(root.path(), port, Some(&cargo))?;
    wait(
        &mut tab,
        "document.querySelector('.cockpit-banner').textContent.includes('with a new token')",
    )?;
    let hash = again.url("").split_once('#').context("a token")?.1.to_owned();
    tab.evaluate(&format!("location.hash = {}", json!(hash)))?;
    wait(&mut tab, "document.querySelector('.cockpit-banner').textContent === 'it has begun'")?;
    assert_eq!(tab.evaluate("location.hash")?, "");
    Ok(())
}

#[test]
fn a_prediction_that_the_notebook_has_no_room_for_is_kept_and_the_page_says_so() -> Result<()> {
    let (root, _) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    wait(&mut tab, "document.querySelector('.cockpit-banner').textContent === 'it has begun'")?;
    let form = ".predict[data-id=\"step01_fd/half_close\"]";
    // The first click reports the empty places.
    click(&mut tab, form, "Check")?;
    click(&mut tab, form, "Check")?;
    wait(
        &mut tab,
        "document.querySelector('.cockpit-banner').textContent.endsWith('this browser only: the disk is full')",
    )?;
    let kept = "'step01_fd/half_close' in JSON.parse(localStorage.getItem('event-loop-workbook.predictions'))";
    assert_eq!(tab.evaluate(kept)?, true);
    Ok(())
}

#[test]
fn a_hostile_page_on_another_port_gets_nothing_done() -> Result<()> {
    let (root, calls) = fake()?;
    let cockpit = Cockpit::start(root.path(), 0, Some(&root.path().join("cargo")))?;
    let origin = serve_one_page("<!doctype html><title>hostile</title><main></main>")?;
    let mut tab = Tab::open()?;
    // The reader has the book open in the same browser.
    open(&mut tab, &cockpit, "preface.html")?;
    wait(
        &mut tab,
        "document.querySelector('.cockpit-progress li') !== null || document.querySelector('.cockpit-progress') !== null",
    )?;
    tab.go_to("about:blank")?;
    let before = fs::read_to_string(&calls).unwrap_or_default();
    tab.go_to(&origin)?;
    let target = &cockpit.origin;
    let attempts = format!(
        r#"(async () => {{
            const outcomes = [];
            const body = JSON.stringify({{ act: "play", package: "step01_fd", name: "a", whose: "mine" }});
            const attempt = async (name, act) => {{
                try {{
                    outcomes.push([name, await act()]);
                }} catch (error) {{
                    outcomes.push([name, "failed"]);
                }}
            }};
            const url = "{target}/cockpit/ask";
            await attempt("post", async () => (await fetch(url, {{ method: "POST", body }})).status);
            await attempt("blind post", async () => (await fetch(url, {{ method: "POST", body, mode: "no-cors" }})).type);
            await attempt("with a token", async () =>
                (await fetch(url, {{ method: "POST", body, headers: {{ "Workbook-Token": "x" }} }})).status);
            await attempt("read", async () => (await fetch("{target}/index.html")).text());
            await attempt("blind read", async () => (await fetch("{target}/index.html", {{ mode: "no-cors" }})).type);
            await attempt("stream", () => new Promise((resolve, reject) => {{
                const source = new EventSource("{target}/cockpit/events?ticket=a");
                source.onopen = () => resolve("open");
                source.onerror = reject;
            }}));
            await attempt("frame", () => new Promise((resolve) => {{
                const frame = document.createElement("iframe");
                frame.src = "{target}/index.html";
                frame.onload = () => {{
                    try {{
                        resolve(frame.contentDocument === null ? "failed" : "read");
                    }} catch {{
                        resolve("failed");
                    }}
                }};
                document.body.append(frame);
            }}));
            await attempt("form", () => new Promise((resolve) => {{
                const frame = document.createElement("iframe");
                frame.name = "target";
                const form = document.createElement("form");
                form.method = "POST";
                form.action = url;
                form.enctype = "text/plain";
                form.target = "target";
                const field = document.createElement("input");
                field.name = body.slice(0, -1) + ',"a":"';
                field.value = '"}}';
                form.append(field);
                document.body.append(frame, form);
                form.submit();
                frame.onload = () => resolve("failed");
            }}));
            return outcomes;
        }})()"#
    );
    let outcomes = tab.evaluate(&attempts)?;
    for outcome in outcomes.as_array().context("outcomes")? {
        // A page can send a blind request, but it can't see the answer.
        let is_nothing = outcome[1] == "failed" || outcome[1] == "opaque";
        assert!(is_nothing, "{outcome}");
    }
    assert_eq!(outcomes.as_array().map(Vec::len), Some(8));
    assert_eq!(fs::read_to_string(&calls).unwrap_or_default(), before);
    Ok(())
}

#[test]
fn axe_finds_nothing_in_the_cockpit() -> Result<()> {
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    let mut found = Vec::new();
    for (width, theme) in [(1200, "light"), (360, "navy")] {
        tab.resize(width, 900)?;
        for (page, ready) in [
            (
                "step01.html",
                "document.querySelector('.verdict .words') && document.querySelector('.cockpit-progress li')",
            ),
            ("loop", "document.querySelector('.state dd')"),
        ] {
            open(&mut tab, &cockpit, page)?;
            tab.evaluate(&format!("localStorage.setItem('mdbook-theme', '{theme}')"))?;
            open(&mut tab, &cockpit, page)?;
            wait(&mut tab, &format!("!!({ready})"))?;
            let violations = axe::violations(&mut tab, "main, .cockpit-progress")?;
            let wide = tab.evaluate("document.documentElement.scrollWidth - innerWidth")?;
            ensure!(wide.as_f64().unwrap_or(1.0) <= 0.0, "{page} at {width} is too wide by {wide}");
            found.extend(violations.iter().map(|it| format!("{page}, {theme}: {it:#}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

#[test]
fn a_page_from_a_file_has_no_cockpit() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step01.html")?)?;
    assert_eq!(
        tab.evaluate(
            "document.querySelectorAll('.cockpit, .cockpit-play, .cockpit-banner').length"
        )?,
        0
    );
    tab.go_to(&on_disk("hunt.html")?)?;
    let bugs = "[...document.querySelectorAll('.hunt')].map((it) => it.hidden)";
    let hidden = tab.evaluate(bugs)?;
    assert!(hidden.as_array().context("bugs")?.len() > 40 && !hidden.to_string().contains("true"));
    Ok(())
}

/// Presses the tab key until an expression is true.
fn press_until(tab: &mut Tab, expression: &str) -> Result<()> {
    for _ in 0..600 {
        tab.press("Tab")?;
        if tab.evaluate(expression)? == json!(true) {
            return Ok(());
        }
    }
    anyhow::bail!("no tab stop for which {expression}")
}

/// Makes a workbook whose cargo is a script. Returns the workbook and the file in which the script
/// notes its calls.
pub(crate) fn fake() -> Result<(TempDir, PathBuf)> {
    let root = TempDir::new()?;
    let calls = root.path().join("calls");
    fs::create_dir(root.path().join("step01_fd"))?;
    fs::write(root.path().join("Cargo.toml"), "workspace.members = [\"step01_fd\"]")?;
    fs::write(root.path().join("step01_fd/exercises.toml"), "")?;
    let cargo = root.path().join("cargo");
    let script = "#!/bin/sh\necho \"$@\" >> calls\ncase \"$*\" in\n    \
                  *watch*) echo '{\"event\":\"note\",\"words\":\"it has begun\"}'; exec sleep 1000;;\n    \
                  *list*) echo '{\"event\":\"error\",\"words\":\"the path is unknown\"}'; exit 1;;\n    \
                  *predict*) echo '{\"event\":\"error\",\"words\":\"the disk is full\"}'; exit 1;;\nesac\n";
    fs::write(&cargo, script)?;
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755))?;
    Ok((root, calls))
}

/// Serves a page on a separate port until the test ends.
fn serve_one_page(page: &'static str) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let length = page.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{page}"
            );
        }
    });
    Ok(format!("http://{address}/"))
}
