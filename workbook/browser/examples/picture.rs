//! Takes a picture of a built page:
//!
//!     cargo run --manifest-path workbook/browser/Cargo.toml --example picture -- step02.html#top 1000 1400 navy a.png
//!
//! A page can also be one of the cockpit's addresses, with the token that its terminal shows. The
//! id of the place to show follows the first `#`. The themes are mdBook's. The argument after the
//! file is a script that runs in the page first.

use std::path::Path;

use anyhow::{Context, Result};
use book_in_a_browser::{Tab, on_disk};
use serde_json::json;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [page, width, height, theme, file, scripts @ ..] = arguments.as_slice() else {
        anyhow::bail!("PAGE#ID WIDTH HEIGHT THEME FILE [SCRIPT]")
    };
    let (page, id) = page.split_once('#').unwrap_or((page, ""));
    let mut tab = Tab::open()?;
    tab.resize(width.parse()?, height.parse()?)?;
    let url = if page.starts_with("http:") { page.to_owned() } else { on_disk(page)? };
    // The cockpit's token is passed in the same way as a place.
    let opened = if id.starts_with("cockpit=") { format!("{url}#{id}") } else { url.clone() };
    tab.call("Page.navigate", json!({ "url": opened }))?;
    tab.wait_for("document.readyState === 'complete'")?;
    tab.evaluate(&format!("localStorage.setItem('mdbook-theme', {})", json!(theme)))?;
    tab.go_to("about:blank")?;
    tab.go_to(&url)?;
    for script in scripts {
        tab.evaluate(script).context(script.clone())?;
    }
    tab.evaluate(&format!("document.getElementById({})?.scrollIntoView()", json!(id)))?;
    tab.picture(Path::new(file))
}
