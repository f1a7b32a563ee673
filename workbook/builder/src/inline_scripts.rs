//! Lists the hashes of the inline scripts that mdBook puts into its pages.
//!
//! The cockpit's server lets a page run only these scripts and scripts from files: its
//! Content-Security-Policy has no `unsafe-inline` for scripts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scraper::{Html, Selector};
use sha2::{Digest, Sha256};

/// The name of the list's file in the built book. The cockpit reads this file.
const FILE: &str = "inline_scripts.txt";

/// Writes the list for a built book's pages.
pub(crate) fn list(pages: &Path) -> Result<()> {
    let mut hashes = BTreeSet::new();
    for entry in fs::read_dir(pages).with_context(|| pages.display().to_string())? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "html") {
            hashes.extend(hashes_in(&fs::read_to_string(&file)?));
        }
    }
    let lines: Vec<String> = hashes.into_iter().collect();
    let file = pages.join(FILE);
    fs::write(&file, lines.join("\n") + "\n").with_context(|| file.display().to_string())
}

/// Returns the hashes of a page's inline scripts, in the format for a policy. Leaves out scripts
/// with a type, because they contain data.
fn hashes_in(page: &str) -> Vec<String> {
    let selector = Selector::parse("script:not([src]):not([type])").expect("a selector");
    let page = Html::parse_document(page);
    let scripts = page.select(&selector).map(|script| script.text().collect::<String>());
    scripts.map(|text| format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_listed_and_data_is_not() {
        let page = "<p>a</p><script>alert(1)</script><script src=\"a.js\"></script>\
                    <script type=\"application/json\">{}</script>";
        // This is the output of `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`.
        let expected = "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=";
        assert_eq!(hashes_in(page), [expected]);
    }
}
