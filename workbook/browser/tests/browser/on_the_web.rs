//! The book works under a prefix, with its pages, their scripts, the search, and the 404 page.

use anyhow::{Context, Result};
use book_in_a_browser::web::serve_below;
use book_in_a_browser::{Tab, pages};
use serde_json::{Value, json};

const PREFIX: &str = "/some/prefix/";

/// Returns the files that a page has loaded from outside the prefix, and the files that it couldn't
/// find under the prefix.
const LOST: &str = "
(root) => performance.getEntriesByType('resource')
    .filter(({ name, responseStatus }) => !name.startsWith(root) || responseStatus >= 400)
    .map(({ name, responseStatus }) => `${name}: ${responseStatus}`)";

/// Returns a page's links that leave the prefix, except links to the web.
const LEAVING: &str = "
(root) => [...document.querySelectorAll('a[href]')]
    .map((it) => new URL(it.getAttribute('href'), document.baseURI).href)
    .filter((href) => !href.startsWith(root) && !/^(https|mailto):/.test(href))";

#[test]
fn each_page_works_below_a_prefix() -> Result<()> {
    let root = serve_below(PREFIX)?;
    let mut tab = Tab::open()?;
    for page in pages()?.into_iter().chain([String::new()]) {
        tab.go_to(&format!("{root}{page}"))?;
        assert_eq!(tab.evaluate(&format!("({LOST})({})", json!(root)))?, json!([]), "{page}");
        assert_eq!(tab.evaluate(&format!("({LEAVING})({})", json!(root)))?, json!([]), "{page}");
        let forms =
            "[...document.querySelectorAll('.predict')].every((it) => it.querySelector('button'))";
        assert_eq!(tab.evaluate(forms)?, true, "{page} asks for its predictions");
        let links = "document.querySelectorAll('#mdbook-sidebar a').length > 20";
        assert_eq!(tab.evaluate(links)?, true, "{page} has its side bar");
        assert_eq!(tab.complaints, Vec::<String>::new(), "{page}");
    }
    Ok(())
}

#[test]
fn the_search_finds_a_page_below_a_prefix() -> Result<()> {
    let root = serve_below(PREFIX)?;
    let mut tab = Tab::open()?;
    tab.go_to(&format!("{root}step01.html"))?;
    tab.evaluate("document.getElementById('mdbook-search-toggle').click()")?;
    tab.wait_for("document.activeElement.id === 'mdbook-searchbar'")?;
    for key in ["g", "h", "o", "s", "t"] {
        tab.press(key)?;
    }
    let result = "document.querySelector('#mdbook-searchresults a')";
    tab.wait_for(&format!("{result} !== null"))?;
    let href = tab.evaluate(&format!("{result}.href"))?;
    assert!(href.as_str().context("a link")?.starts_with(&root), "{href}");
    tab.evaluate(&format!("{result}.click()"))?;
    tab.wait_for(
        "document.readyState === 'complete' && !location.pathname.endsWith('step01.html')",
    )?;
    assert_ne!(tab.evaluate("document.querySelector('main h1')")?, Value::Null);
    Ok(())
}

#[test]
fn a_wrong_address_leads_back_to_the_book() -> Result<()> {
    let root = serve_below(PREFIX)?;
    let mut tab = Tab::open()?;
    tab.go_to(&format!("{root}no/such/page.html"))?;
    let title = "document.querySelector('main h1').textContent";
    assert_eq!(tab.evaluate(title)?, "There's no such page");
    let loaded = "[...document.styleSheets].length > 3 && typeof path_to_root === 'string'
        && document.querySelectorAll('#mdbook-sidebar a').length > 20";
    assert_eq!(tab.evaluate(loaded)?, true);
    let home = tab.evaluate("document.querySelector('main p a').href")?;
    assert_eq!(home, json!(format!("{root}index.html")));
    Ok(())
}

#[test]
fn the_first_page_begins_with_a_question_and_predictions_can_be_made_outside_of_the_steps()
-> Result<()> {
    let root = serve_below(PREFIX)?;
    let mut tab = Tab::open()?;
    tab.go_to(&root)?;
    assert_eq!(tab.evaluate("document.title")?, "The Event Loop Workbook");
    let question = "document.querySelector('main > p').textContent.includes('?')";
    assert_eq!(tab.evaluate(question)?, true);
    let answered = "[...document.querySelectorAll('main .predict label')]
        .find((label) => label.textContent.includes('the edge-triggered one')).querySelector('input').click();
        document.querySelector('main .predict > button').click();
        document.querySelector('main .predict').textContent";
    let said = tab.evaluate(answered)?;
    assert!(said.as_str().context("a text")?.contains("no new bytes have arrived"), "{said}");
    tab.go_to(&format!("{root}linux.html"))?;
    let form = "document.querySelector('main .predict')";
    tab.evaluate(&format!(
        "{form}.querySelectorAll('select').forEach((field) =>
             field.value = [...field.options].find(({{ text }}) => text === '\\\\x7fE').value)"
    ))?;
    tab.evaluate(&format!("{form}.querySelector(':scope > button').click()"))?;
    let said = tab.evaluate(&format!("{form}.textContent"))?;
    let said = said.as_str().context("a text")?;
    assert!(said.contains("2 of 3 right.") && said.contains("shares the open file"), "{said}");
    Ok(())
}
