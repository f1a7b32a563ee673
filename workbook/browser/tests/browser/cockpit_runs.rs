//! Predictions that the page and the terminal share, and runs on the reader's own page, step by
//! step.
//!
//!     cargo run -p book && cargo build -p cockpit
//!     cargo test --manifest-path workbook/browser/Cargo.toml cockpit_runs

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};
use book_in_a_browser::Tab;
use book_in_a_browser::cockpit::{Cockpit, click, open, text, wait};

/// The first prediction of step 01, and another of its predictions.
const FIRST: &str = "descriptors_of_a_second_pipe";
const OTHER: &str = "half_close";

#[test]
fn a_class_is_joined_from_the_page_and_left_again() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let class = thread::spawn(move || -> Result<Vec<String>> {
        let answers = [r#"{"token":"secret","name":"Ada"}"#, "{}"];
        answers.iter().map(|answer| one_request(&listener, answer)).collect()
    });
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    let progress = ".cockpit-progress";
    wait(&mut tab, "document.querySelector('.cockpit-progress button') !== null")?;
    click(&mut tab, progress, "Join a class")?;
    tab.evaluate(&format!(
        "[...document.querySelectorAll('.cockpit-dialog[open] input')]
            .forEach((field, at) => field.value = ['http://{address}/', 'abcd-efgh', 'Ada'][at])"
    ))?;
    click(&mut tab, ".cockpit-dialog[open]", "Join")?;
    wait(&mut tab, "document.querySelector('.cockpit-progress').textContent.includes('as Ada')")?;
    click(&mut tab, ".cockpit-dialog[open]", "Leave")?;
    wait(&mut tab, "document.querySelector('.cockpit-dialog[open] form') !== null")?;
    let requests = class.join().expect("no panic")?;
    assert!(requests[0].starts_with("POST /class/join"), "{requests:?}");
    assert!(requests[1].starts_with("POST /class/leave"), "{requests:?}");
    assert!(!cockpit.root.join("work/.state/class").exists());
    Ok(())
}

/// Accepts a connection, answers its request, and returns the request's first bytes.
fn one_request(listener: &TcpListener, answer: &str) -> Result<String> {
    let (mut client, _) = listener.accept()?;
    let mut bytes = [0; 4096];
    let count = client.read(&mut bytes)?;
    write!(client, "HTTP/1.1 200 OK\r\n\r\n{answer}")?;
    Ok(String::from_utf8_lossy(&bytes[..count]).into_owned())
}

#[test]
fn what_is_predicted_in_the_page_or_in_the_terminal_counts_in_both() -> Result<()> {
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    wait(&mut tab, "document.querySelector('.cockpit-progress li') !== null")?;
    let form = format!(".predict[data-id=\"step01_fd/{FIRST}\"]");
    tab.evaluate(&format!(
        "document.querySelectorAll('{form} input').forEach((field) => field.value = 'N')"
    ))?;
    click(&mut tab, &form, "Check")?;
    let summary =
        text(&mut tab, &format!("document.querySelector('{form} .summary').textContent"))?;
    let right = summary.split(' ').next().context("a count")?.to_owned();
    let scores = cockpit.root.join("work/predictions.txt");
    wait(
        &mut tab,
        "document.querySelector('.cockpit-progress').textContent.includes('predicted')",
    )?;
    let noted = fs::read_to_string(&scores)?;
    assert!(noted.contains(&format!("step01_fd {FIRST} {right} right, 2 of 2 asked")), "{noted}");

    // In the terminal, the reader predicts another scene.
    let mut terminal = Command::new("cargo")
        .args(["run", "--quiet", "-p", "step01_fd", "--", "predict", OTHER])
        .current_dir(&cockpit.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    terminal.stdin.take().context("a keyboard")?.write_all(&b"Bytes(7)\n".repeat(4))?;
    assert!(terminal.wait()?.success());
    // The page shows it once it compares itself with the notebook, and after that by itself.
    let other = format!("document.querySelector('.predict[data-id=\"step01_fd/{OTHER}\"]')");
    let said = format!("{other}?.textContent.includes('in the terminal or in another browser')");
    tab.evaluate("document.dispatchEvent(new Event('workbook-noted'))")?;
    wait(&mut tab, &format!("{said} === true"))?;
    tab.evaluate("window.isOld = true; location.reload()")?;
    wait(&mut tab, &format!("window.isOld === undefined && {said} === true"))?;
    // The side bar counts it, too.
    let counted = "document.querySelector('#mdbook-sidebar .chapter a[href$=\"step01.html\"] .predicted').textContent";
    assert!(text(&mut tab, counted)?.starts_with("2 of "));
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_run_on_the_readers_page_is_stepped_through_and_its_first_difference_is_marked() -> Result<()> {
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "step01.html")?;
    wait(&mut tab, "document.querySelector('.exercise[data-state] .cockpit button') !== null")?;
    let file = "step01_fd/src/io.rs";
    cockpit.write_right("step01_fd/src/create.rs", "pipe")?;
    for function in ["read", "write"] {
        cockpit.write_right(file, function)?;
    }
    let player = "[aria-label=\"play end_or_would_block on my page\"]";
    tab.evaluate(&format!(
        "document.querySelector('{player}').closest('.cockpit-play').id = 'it'"
    ))?;
    let step_through = |tab: &mut Tab| -> Result<String> {
        click(tab, "#it", "Play on my page")?;
        wait(tab, "document.querySelector('#it [aria-label^=\"step through\"]').hidden === false")?;
        click(tab, "#it", "Step through this run")?;
        wait(tab, "document.querySelector('#it .player') !== null")?;
        text(tab, "document.querySelector('#it .said').textContent")
    };
    let said = step_through(&mut tab)?;
    assert!(
        said.contains("your step 01") && said.contains("this run is the same as the reference's"),
        "{said}"
    );
    // The recording knows the line of each call, as in the book's recordings.
    click(&mut tab, "#it", "Next ›")?;
    wait(
        &mut tab,
        "document.querySelector('#it .player .count').textContent.startsWith('step 2 of')",
    )?;
    wait(&mut tab, "document.querySelector('#it .player [aria-current]') !== null")?;

    cockpit.write(file, "read", "\n    let _ = (fd, buffer);\n    Ok(Read::End)\n")?;
    let said = step_through(&mut tab)?;
    assert!(said.contains("This run differs from the reference's"), "{said}");
    click(&mut tab, "#it", "Where the runs differ")?;
    wait(&mut tab, "document.querySelector('#it .parting').hidden === false")?;
    let parting = text(&mut tab, "document.querySelector('#it .parting').textContent")?;
    assert!(parting.contains("In the other run: "), "{parting}");
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}
