//! Steps through every figure in the book on its page, to its end and back, in all its orders.

use std::fs;

use anyhow::{Context, Result};
use book_in_a_browser::{Tab, book, on_disk, pages};
use serde_json::Value;

/// A figure, as its page contains it.
struct Figure {
    page: String,
    /// The id of its fold.
    id: String,
    data: Value,
}

/// Returns the figures of all pages.
fn figures() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for page in pages()? {
        let text = fs::read_to_string(book()?.join(&page))?;
        for fold in text.split("<details class=\"figure\" id=\"").skip(1) {
            let (id, fold) = fold.split_once('"').context("an id")?;
            let data = fold.split("<script type=\"application/json\">").nth(1);
            let data = data.and_then(|data| data.split("</script>").next()).context("data")?;
            let (page, data) = (page.clone(), serde_json::from_str(data)?);
            figures.push(Figure { page, id: id.to_owned(), data });
        }
    }
    assert!(figures.len() >= 4, "only {} figures were found", figures.len());
    Ok(figures)
}

/// Opens a figure's page like a reader who hasn't made a prediction yet.
fn open(tab: &mut Tab, page: &str) -> Result<()> {
    tab.go_to(&on_disk(page)?)?;
    tab.evaluate("localStorage.clear()")?;
    tab.go_to("about:blank")?;
    tab.go_to(&on_disk(page)?)
}

fn unfold(tab: &mut Tab, id: &str) -> Result<()> {
    tab.evaluate(&format!("document.getElementById('{id}').open = true"))?;
    tab.wait_for(&format!("document.querySelector('#{id} .steps') !== null"))
}

/// Returns a figure's sentence, its place, and the words in its picture.
fn shown(tab: &mut Tab, id: &str) -> Result<(String, String, String)> {
    let text = |tab: &mut Tab, selector: &str| -> Result<String> {
        let value =
            tab.evaluate(&format!("document.querySelector('#{id} {selector}').textContent"))?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    };
    Ok((text(tab, "figcaption")?, text(tab, ".steps span")?, text(tab, ".stage")?))
}

fn states<'a>(data: &'a Value, set: &Value, run: &Value) -> &'a Vec<Value> {
    let index = |value: &Value| usize::try_from(value.as_u64().expect("an index")).expect("small");
    let states = &data["sets"][index(set)]["runs"][index(run)]["states"];
    states.as_array().expect("states")
}

#[test]
fn each_figure_is_moved_to_its_end_and_back_by_keyboard() -> Result<()> {
    let mut tab = Tab::open()?;
    for Figure { page, id, data } in figures()? {
        open(&mut tab, &page)?;
        unfold(&mut tab, &id)?;
        let states = states(&data, &data["still"][0], &data["still"][1]);
        let last = states.len();
        let place = |at: usize| format!("{at} of {last}");
        tab.evaluate(&format!(
                "[...document.querySelectorAll('#{id} .steps button')].find((it) => it.textContent === 'Next').focus()"
            ))?;
        let first = shown(&mut tab, &id)?;
        assert_eq!(
            (&*first.0, &*first.1),
            (states[0]["says"].as_str().unwrap_or_default(), &*place(1))
        );
        // With the focused button, with the arrows, and more often than there are states.
        tab.press("Enter")?;
        for (at, state) in states.iter().enumerate().skip(1) {
            let (says, where_it_is, _) = shown(&mut tab, &id)?;
            assert_eq!(
                (&*says, where_it_is),
                (state["says"].as_str().unwrap_or_default(), place(at + 1))
            );
            tab.press("ArrowRight")?;
        }
        let end = shown(&mut tab, &id)?;
        assert_eq!(end.1, place(last), "{id}");
        assert_ne!(end.2, first.2, "{id}: the picture has changed");
        tab.press("Home")?;
        assert_eq!(shown(&mut tab, &id)?, first, "{id}");
        tab.press("End")?;
        assert_eq!(shown(&mut tab, &id)?, end, "{id}");
        for _ in 0..last {
            tab.press("ArrowLeft")?;
        }
        assert_eq!(shown(&mut tab, &id)?, first, "{id}");
        // The arrows haven't turned the page.
        assert_eq!(tab.evaluate("location.href")?, on_disk(&page)?.as_str());
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    Ok(())
}

#[test]
fn each_order_of_a_figure_can_be_chosen_and_shows_its_own_states() -> Result<()> {
    let mut tab = Tab::open()?;
    for Figure { page, id, data } in figures()? {
        open(&mut tab, &page)?;
        unfold(&mut tab, &id)?;
        for (at, set) in data["sets"].as_array().context("sets")?.iter().enumerate() {
            tab.evaluate(&format!(
                    "(() => {{ const it = document.querySelector('#{id} select'); it.selectedIndex = {at}; \
                     it.dispatchEvent(new Event('change')); }})()"
                ))?;
            for (number, run) in set["runs"].as_array().context("runs")?.iter().enumerate() {
                let name = tab.evaluate(&format!(
                        "(() => {{ const it = document.querySelectorAll('#{id} .runs button')[{number}]; \
                         it.click(); return it.getAttribute('aria-label'); }})()"
                    ))?;
                let named = run["name"].as_str().context("a name")?;
                assert!(name.as_str().is_some_and(|it| it.contains(named)), "{id}: {name}");
                tab.evaluate(&format!(
                    "document.querySelector('#{id} .steps button:last-of-type').focus()"
                ))?;
                tab.press("End")?;
                let states = run["states"].as_array().context("states")?;
                let (says, _, picture) = shown(&mut tab, &id)?;
                let last = states.last().context("a state")?;
                assert_eq!(says, last["says"].as_str().unwrap_or_default(), "{id}, {named}");
                let words = last["shapes"].as_array().context("shapes")?.iter().map(|shape| {
                    let shape =
                        usize::try_from(shape.as_u64().unwrap_or_default()).unwrap_or_default();
                    data["shapes"][shape]["words"].as_str().unwrap_or_default()
                });
                assert_eq!(picture, words.collect::<String>(), "{id}, {named}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_figure_is_not_in_the_page_before_its_question_is_answered_or_its_fold_opened() -> Result<()> {
    let mut tab = Tab::open()?;
    for Figure { page, id, data: _ } in figures()? {
        open(&mut tab, &page)?;
        assert_eq!(tab.evaluate(&format!("document.querySelector('#{id} svg')"))?, Value::Null);
        let form = format!("document.getElementById('{id}').previousElementSibling");
        assert_eq!(tab.evaluate(&format!("{form}.matches('.predict')"))?, true, "{id}");
        tab.evaluate(&format!("{form}.querySelector('input').checked = true"))?;
        tab.evaluate(&format!("{form}.querySelector('button').click()"))?;
        tab.wait_for(&format!("document.querySelector('#{id} svg') !== null"))?;
        assert_eq!(tab.evaluate(&format!("document.getElementById('{id}').open"))?, true);
    }
    Ok(())
}

#[test]
fn on_paper_a_figure_shows_its_decisive_state_wherever_the_reader_is() -> Result<()> {
    let mut tab = Tab::open()?;
    for Figure { page, id, data } in figures()? {
        open(&mut tab, &page)?;
        unfold(&mut tab, &id)?;
        let before = shown(&mut tab, &id)?;
        let states = states(&data, &data["still"][0], &data["still"][1]);
        let still = usize::try_from(data["still"][2].as_u64().context("an index")?)?;
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")?;
        assert_eq!(shown(&mut tab, &id)?.0, states[still]["says"].as_str().unwrap_or_default());
        tab.evaluate("dispatchEvent(new Event('afterprint'))")?;
        assert_eq!(shown(&mut tab, &id)?, before, "{id}");
    }
    Ok(())
}

#[test]
fn a_figure_fits_into_a_narrow_window() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.resize(360, 800)?;
    for Figure { page, id, data: _ } in figures()? {
        open(&mut tab, &page)?;
        unfold(&mut tab, &id)?;
        let is_too_wide = format!(
            "(() => {{ const it = document.querySelector('#{id} figure'); \
                 return it.scrollWidth > it.clientWidth; }})()"
        );
        assert_eq!(tab.evaluate(&is_too_wide)?, false, "{id}");
    }
    Ok(())
}
