//! A reader takes their predictions to another browser and deletes them here.

use anyhow::{Context, Result};
use book_in_a_browser::Tab;
use book_in_a_browser::web::serve_below;
use serde_json::json;

const MADE: &str = r#"{"a/b":{"version":"1","typed":["x"],"right":1,"of":2},"c/d":{"version":"1","typed":["y"],"right":0,"of":1}}"#;
const SAYS: &str = "document.querySelector('#my-predictions p').textContent";

fn press(tab: &mut Tab, name: &str) -> Result<()> {
    tab.evaluate(&format!(
        "[...document.querySelectorAll('#my-predictions button')].find((it) => it.textContent === '{name}').click()"
    ))?;
    Ok(())
}

/// Chooses a file with this text when the page asks for one.
fn import(tab: &mut Tab, text: &str) -> Result<()> {
    tab.evaluate(&format!(
        "HTMLInputElement.prototype.click = function () {{
             const chosen = new DataTransfer();
             chosen.items.add(new File([{}], 'predictions.json'));
             this.files = chosen.files;
             this.dispatchEvent(new Event('change'));
         }}",
        json!(text)
    ))?;
    press(tab, "Import")
}

fn open() -> Result<Tab> {
    let mut tab = Tab::open()?;
    tab.go_to(&format!("{}predictions.html", serve_below("/book/")?))?;
    Ok(tab)
}

#[test]
fn predictions_are_imported_and_exported_as_they_were() -> Result<()> {
    let mut tab = open()?;
    let first = tab.evaluate(SAYS)?;
    assert_eq!(first, "You haven't made a prediction in this browser yet.");
    let disabled = "[...document.querySelectorAll('#my-predictions button:disabled')].map((it) => it.textContent)";
    assert_eq!(tab.evaluate(disabled)?, json!(["Export", "Clear"]));
    import(&mut tab, MADE)?;
    tab.wait_for(&format!("{SAYS}.startsWith('Imported 2 predictions.')"))?;
    let says = tab.evaluate(SAYS)?;
    assert!(says.as_str().context("a text")?.ends_with("and 1 of 3 blanks were right."), "{says}");
    tab.evaluate("HTMLAnchorElement.prototype.click = function () { window.saved = this.href; }")?;
    press(&mut tab, "Export")?;
    let saved = tab.evaluate("fetch(window.saved).then((it) => it.json())")?;
    assert_eq!(saved, serde_json::from_str::<serde_json::Value>(MADE)?);
    Ok(())
}

#[test]
fn what_was_predicted_here_stays_when_a_file_says_otherwise() -> Result<()> {
    let mut tab = open()?;
    let here = json!({ "version": "1", "typed": ["mine"], "right": 2, "of": 2 });
    tab.evaluate(&format!("workbook.scores.note('a/b', {here})"))?;
    import(&mut tab, MADE)?;
    tab.wait_for(&format!("{SAYS}.startsWith('Imported 1 prediction. You')"))?;
    assert_eq!(tab.evaluate("workbook.scores.get('a/b').typed")?, json!(["mine"]));
    Ok(())
}

#[test]
fn a_file_that_is_something_else_changes_nothing() -> Result<()> {
    let mut tab = open()?;
    for text in ["", "null", "[]", "3", "{\"a\":1}", "{", &MADE.replace("\"x\"", "1")] {
        import(&mut tab, text)?;
        tab.wait_for(&format!("{SAYS}.startsWith(\"That file wasn't exported\")"))?;
        assert_eq!(tab.evaluate("workbook.scores.get('a/b') ?? null")?, json!(null), "{text}");
        tab.evaluate(&format!(
            "{SAYS} && (document.querySelector('#my-predictions p').textContent = '')"
        ))?;
    }
    Ok(())
}

#[test]
fn clearing_asks_first() -> Result<()> {
    let mut tab = open()?;
    import(&mut tab, MADE)?;
    tab.wait_for(&format!("{SAYS}.startsWith('Imported')"))?;
    tab.evaluate("window.confirm = (text) => { window.asked = text; return false; }")?;
    press(&mut tab, "Clear")?;
    assert_eq!(
        tab.evaluate("window.asked")?,
        "Forget 2 predictions made in this browser? Export first if you want to keep a copy."
    );
    assert_ne!(tab.evaluate("workbook.scores.get('a/b') ?? null")?, json!(null));
    tab.evaluate("window.confirm = () => true")?;
    press(&mut tab, "Clear")?;
    assert_eq!(tab.evaluate(SAYS)?, "You haven't made a prediction in this browser yet.");
    Ok(())
}
