//! Takes a picture of a built page:
//!
//!     cargo run --manifest-path book/browser/Cargo.toml --example picture -- step02.html#top 1000 1400 navy a.png
//!
//! The first `#` begins the id of the place to show. The themes are mdBook's. What comes after the file is
//! run in the page before.

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
    tab.go_to(&on_disk(page)?)?;
    tab.evaluate(&format!("localStorage.setItem('mdbook-theme', {})", json!(theme)))?;
    tab.go_to("about:blank")?;
    tab.go_to(&on_disk(page)?)?;
    for script in scripts {
        tab.evaluate(script).context(script.clone())?;
    }
    tab.evaluate(&format!("document.getElementById({})?.scrollIntoView()", json!(id)))?;
    tab.picture(Path::new(file))
}
