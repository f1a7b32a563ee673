//! axe-core finds no violations on any page, in the light and the dark theme, whether wide or
//! narrow. Also, a keyboard user can skip the list of chapters.

use anyhow::Result;
use book_in_a_browser::{Tab, axe, on_disk, pages};

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
    let is_in_the_text = "document.querySelector('main').contains(document.activeElement)";
    // The second address has the form that the terminal shows.
    for fragment in ["", "#cockpit=a-token"] {
        let mut tab = Tab::open()?;
        tab.go_to(&format!("{}{fragment}", on_disk("step02.html")?))?;
        tab.press("Tab")?;
        assert_eq!(tab.evaluate("document.activeElement.textContent")?, "Skip to the text");
        tab.press("Enter")?;
        tab.press("Tab")?;
        assert_eq!(tab.evaluate(is_in_the_text)?, true);
    }
    // A link to a section begins at that section.
    let mut tab = Tab::open()?;
    tab.go_to(&format!("{}#one-wait-for-everything", on_disk("step02.html")?))?;
    tab.press("Tab")?;
    assert_eq!(tab.evaluate(is_in_the_text)?, true);
    Ok(())
}

fn axe_finds_nothing(width: u32, theme: &str) -> Result<()> {
    let mut tab = Tab::open()?;
    tab.resize(width, 900)?;
    tab.before_each_page(&format!("localStorage.setItem('mdbook-theme', '{theme}')"))?;
    let mut found = Vec::new();
    for page in pages()? {
        tab.go_to(&on_disk(&page)?)?;
        // Their controls are in the page only when their folds are open.
        tab.evaluate(
            "document.querySelectorAll('details.figure').forEach((it) => it.open = true)",
        )?;
        let all = "[...document.querySelectorAll('details.figure')].every((it) => it.querySelector('.steps'))";
        tab.wait_for(all)?;
        for violation in axe::violations(&mut tab, "main")? {
            found.push(format!("{page}, {theme}: {violation:#}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}
