//! axe-core finds nothing on any page, in the light and in the dark theme, wide and narrow.
//!
//! It comes from npm, as the first lines of `.ci/run`'s stage say:
//!
//!     npm install --no-save --prefix target/axe axe-core@4.10.3

use std::fs;

use anyhow::{Context, Result};
use book_in_a_browser::{Tab, book, on_disk, pages};

/// Runs axe on what the chapters bring, and returns each violation with the places.
///
/// Contrast takes axe most of its time, and elements that look the same have the same. So it looks at one of
/// each look: 45 of a chapter's 1,900.
const RUN: &str = "
(async () => {
    const main = document.querySelector('main');
    const looks = new Map();
    for (const element of main.querySelectorAll('*')) {
        const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '';
        if (!element.checkVisibility() || ![...element.childNodes].some(isText)) continue;
        const { color, fill, fontSize, fontWeight } = getComputedStyle(element);
        const look = [color, fill, fontSize, fontWeight];
        for (let around = element; around !== null; around = around.parentElement) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(around);
            look.push(backgroundColor, backgroundImage, opacity);
        }
        const isSeen = (value) => !['rgba(0, 0, 0, 0)', 'none', '1'].includes(value);
        looks.set(look.filter(isSeen).join(), element);
    }
    const violations = async (context, options) =>
        (await axe.run(context, { resultTypes: ['violations'], ...options })).violations;
    const contrast = await violations({ include: [...looks.values()] }, { runOnly: ['color-contrast'] });
    const others = await violations(main, { rules: { 'color-contrast': { enabled: false } } });
    return [...contrast, ...others].map(({ id, help, nodes }) => ({
        id, help, count: nodes.length, first: nodes.slice(0, 3).map((node) => node.html.slice(0, 200))
    }));
})()";

#[test]
fn axe_finds_nothing_on_wide_light_pages() -> Result<()> {
    axe_finds_nothing(1200, "light")
}

#[test]
fn axe_finds_nothing_on_narrow_dark_pages() -> Result<()> {
    axe_finds_nothing(360, "navy")
}

#[test]
fn the_first_press_of_tab_offers_a_way_past_the_chapters() -> Result<()> {
    let mut tab = Tab::open()?;
    tab.go_to(&on_disk("step02.html")?)?;
    tab.press("Tab")?;
    assert_eq!(tab.evaluate("document.activeElement.textContent")?, "Skip to the text");
    tab.press("Enter")?;
    tab.press("Tab")?;
    let is_in_the_text = "document.querySelector('main').contains(document.activeElement)";
    assert_eq!(tab.evaluate(is_in_the_text)?, true);
    Ok(())
}

fn axe_finds_nothing(width: u32, theme: &str) -> Result<()> {
    let file = book()?.join("../axe/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(&file)
        .context("npm install --no-save --prefix target/axe axe-core@4.10.3")?;
    let mut tab = Tab::open()?;
    tab.resize(width, 900)?;
    let mut found = Vec::new();
    for page in pages()? {
        tab.go_to(&on_disk(&page)?)?;
        tab.evaluate(&format!("localStorage.setItem('mdbook-theme', '{theme}')"))?;
        tab.go_to("about:blank")?;
        tab.go_to(&on_disk(&page)?)?;
        // Their controls are in the page only when their folds are open.
        tab.evaluate(
            "document.querySelectorAll('details.figure').forEach((it) => it.open = true)",
        )?;
        let all = "[...document.querySelectorAll('details.figure')].every((it) => it.querySelector('.steps'))";
        tab.wait_for(all)?;
        tab.evaluate(&axe)?;
        let violations = tab.evaluate(RUN)?;
        for violation in violations.as_array().context("violations")? {
            found.push(format!("{page}, {theme}: {violation:#}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}
