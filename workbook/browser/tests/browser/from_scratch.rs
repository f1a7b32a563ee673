//! A loop from scratch, written only with the book's boxes.

use std::fs;

use anyhow::{Context, Result};
use book_in_a_browser::Tab;
use book_in_a_browser::cockpit::{Cockpit, click, open, text, wait};

#[test]
fn a_reader_writes_a_loop_from_scratch_without_the_terminal() -> Result<()> {
    let cockpit = Cockpit::for_a_new_reader()?;
    let mut tab = Tab::open()?;
    open(&mut tab, &cockpit, "from_scratch.html")?;
    let state = |stage: &str, state: &str| {
        format!("document.querySelector('#exercise-S-{stage}').dataset.state === '{state}'")
    };
    let words = "document.querySelector('#exercise-S-1 .verdict .words')?.textContent";
    wait(&mut tab, &state("1", "not written"))?;
    wait(&mut tab, &format!("{words}.includes('Stage 1 needs `pub fn block_on')"))?;
    wait(&mut tab, &state("5", "waits"))?;
    click(&mut tab, "#exercise-S-1", "Hint 1 of 3")?;
    wait(&mut tab, "document.querySelectorAll('#exercise-S-1 .hints li').length === 1")?;

    // A name that differs from the contract's is red, even before anything can run.
    let lib = cockpit.root.join("work/from_scratch/src/lib.rs");
    let right = fs::read_to_string(cockpit.root.join("beyond/from_scratch/src/lib.rs"))?;
    fs::write(&lib, right.replacen("pub fn block_on", "fn block_on", 1))?;
    wait(&mut tab, &state("1", "red"))?;
    wait(&mut tab, &format!("{words}.includes('but yours is different')"))?;

    // If no lines came, the expected lines have the whole width.
    let panics = "let mut woken = Vec::new();\n    assert!(woken.capacity() > 0);";
    fs::write(&lib, right.replacen("let mut woken = Vec::new();", panics, 1))?;
    wait(&mut tab, "document.querySelectorAll('#exercise-S-1 .difference th').length === 1")?;

    // All promises are kept but one: the first two stages are green, and the third names the
    // promise.
    let (before, sleep) = right.split_once("impl Future for Sleep {").context("a sleep")?;
    let early = sleep.replacen("key.0 <= Instant::now()", "true", 1);
    fs::write(&lib, format!("{before}impl Future for Sleep {{{early}"))?;
    wait(&mut tab, &state("3", "red"))?;
    assert!(tab.is_true(&state("2", "green"))? && tab.is_true(&state("4", "waits"))?);
    let told = text(&mut tab, "document.querySelector('#exercise-S-3 .verdict').innerText")?;
    assert!(told.contains("The expected lines, beside yours"), "{told}");
    // A green stage has no function to show.
    assert!(tab.is_true("document.querySelector('.yours') === null")?);

    // Starting over asks first.
    click(&mut tab, "#exercise-S-3", "Reset")?;
    wait(&mut tab, "document.querySelector('dialog[open]')?.textContent.includes('empty file')")?;
    tab.evaluate("[...document.querySelectorAll('dialog button')].find((it) => it.textContent === 'Cancel').click()")?;
    assert!(fs::read_to_string(&lib)?.contains("impl Future for Sleep"));

    fs::write(&lib, &right)?;
    wait(&mut tab, &state("5", "green"))?;
    wait(
        &mut tab,
        "document.querySelector('.cockpit-banner').textContent.startsWith('All green')",
    )?;
    // A reader who has built a loop can look at ours without a question.
    click(&mut tab, "#exercise-S-5", "Reveal")?;
    wait(
        &mut tab,
        "document.querySelector('#exercise-S-5 .verdict')?.textContent.includes('fn block_on')",
    )?;
    assert_eq!(tab.complaints, Vec::<String>::new());
    Ok(())
}
