//! A reader chooses a path, and each page shows which sections to read, which to skip, and which
//! section comes next.

use anyhow::{Context, Result};
use book_in_a_browser::{Tab, axe, on_disk, pages};
use serde_json::{Value, json};

const CHOOSE: &str = "
(name) => {
    const select = document.querySelector('#mdbook-sidebar .path-choice select');
    select.value = name;
    select.dispatchEvent(new Event('change'));
}";
const BAR: &str = "document.querySelector('main > .path-bar')?.textContent ?? null";

fn choose(tab: &mut Tab, path: &str) -> Result<()> {
    tab.evaluate(&format!("({CHOOSE})({})", json!(path))).map(drop)
}

#[test]
fn without_a_path_there_is_no_bar_and_with_one_each_page_has_it() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step01.html")?)?;
    assert_eq!(tab.evaluate(BAR)?, Value::Null);
    assert_eq!(tab.evaluate("document.querySelectorAll('.off-path').length")?, 0);
    choose(&mut tab, "afternoon")?;
    let mut first = None;
    for page in pages()? {
        tab.go_to(&on_disk(&page)?)?;
        let bar = tab.evaluate(BAR)?;
        let bar = bar.as_str().with_context(|| format!("no bar on {page}"))?;
        if page == "step01.html" {
            first = Some(bar.to_owned());
        }
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    let first = first.context("step 01")?;
    for said in ["Read 6 of the ", "Write 1.1, 1.5, 1.6 and 1.7", "Next: Step 02: epoll."] {
        assert!(first.contains(said), "{first}");
    }
    choose(&mut tab, "")?;
    assert_eq!(tab.evaluate(BAR)?, Value::Null, "the whole book needs no bar");
    Ok(())
}

#[test]
fn what_a_path_skips_is_marked_and_stays_readable() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step06.html")?)?;
    choose(&mut tab, "weekend")?;
    let note = "document.querySelector('#one-page-on-pin + .off-path-note')";
    let said = tab.evaluate(&format!("{note}.textContent"))?;
    assert_eq!(
        said,
        "Your path skips this section. Next on your path: “A task: polled, woken, owned”."
    );
    tab.evaluate(&format!("{note}.querySelector('a').click()"))?;
    tab.wait_for("location.hash === '#a-task-polled-woken-owned'")?;
    let marked = "[...document.querySelectorAll('.off-path')]";
    assert_ne!(tab.evaluate(&format!("{marked}.length"))?, 0);
    let seen =
        format!("{marked}.every((it) => it.matches('script, span') || it.checkVisibility())");
    assert_eq!(tab.evaluate(&seen)?, true, "nothing is hidden");
    tab.go_to(&on_disk("step01.html")?)?;
    // Among the exercises in sections to read, the given ones are marked, too.
    let given = |number: &str| {
        format!(
            "document.getElementById('exercise-{number}').textContent.includes('Your path gives you')"
        )
    };
    assert_eq!(tab.evaluate(&given("1-2"))?, true);
    assert_eq!(tab.evaluate(&given("1-1"))?, false);
    // The next section to read isn't marked.
    let read = "document.querySelector('#what-did-read-want-to-say + *').matches('.off-path, .off-path-note')";
    assert_eq!(tab.evaluate(read)?, false);
    Ok(())
}

#[test]
fn a_path_begins_and_ends_with_what_to_do_then() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("linux.html")?)?;
    choose(&mut tab, "afternoon")?;
    for (page, said) in [
        ("linux.html", "if you've never called the kernel from Rust"),
        ("linux.html", "Next: Step 01: Descriptors."),
        ("step05_inbox.html", "Next: The end of an afternoon."),
        ("afternoon.html", "Put your own layers under the later steps: cargo run -- use-mine."),
        ("teaching.html", "This page isn't part of any path."),
    ] {
        tab.go_to(&on_disk(page)?)?;
        let bar = tab.evaluate(BAR)?;
        let bar = bar.as_str().with_context(|| format!("no bar on {page}"))?;
        assert!(bar.contains(said), "{page}: {bar}");
    }
    choose(&mut tab, "weekend")?;
    tab.go_to(&on_disk("step07_inside.html")?)?;
    let bar = tab.evaluate(BAR)?;
    assert!(bar.as_str().is_some_and(|bar| bar.contains("last page of your path. Put")), "{bar}");
    Ok(())
}

#[test]
fn axe_finds_nothing_on_a_page_with_a_path() -> Result<()> {
    let mut tab = Tab::open()?;
    for theme in ["light", "navy"] {
        tab.go_to(&on_disk("step02.html")?)?;
        tab.evaluate(&format!("localStorage.setItem('mdbook-theme', '{theme}')"))?;
        choose(&mut tab, "afternoon")?;
        tab.go_to("about:blank")?;
        tab.go_to(&on_disk("step02.html")?)?;
        // The path's own elements are in the text and above it.
        let found = axe::violations(&mut tab, "main, [class*=path]")?;
        assert!(found.is_empty(), "{theme}: {found:#?}");
    }
    Ok(())
}
