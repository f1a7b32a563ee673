//! Checks that every link to the book's own files leads to a file that exists and, if the link has
//! a fragment, to an id in that file.
//!
//! We don't follow links to the web, because the book has to build without a network.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use judging::workbook::without_dots;
use scraper::{Html, Selector};

/// A page's ids and the targets of its links.
struct Page {
    ids: HashSet<String>,
    targets: Vec<String>,
}

/// Fails if links lead nowhere or lead to the web without https. The error lists these links.
pub(crate) fn check(dir: &Path) -> Result<()> {
    let mut pages = HashMap::new();
    for path in html_files(dir)? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        pages.insert(path, Page::parse(&text)?);
    }
    let mut broken: Vec<String> = Vec::new();
    for (path, page) in &pages {
        for target in &page.targets {
            if let Some(why) = why_broken(path, target, &pages) {
                let from = path.strip_prefix(dir).unwrap_or(path).display();
                broken.push(format!("{from}: {target}: {why}"));
            }
        }
    }
    broken.sort();
    broken.dedup();
    if !broken.is_empty() {
        bail!("links that lead nowhere:\n{}", broken.join("\n"));
    }
    Ok(())
}

impl Page {
    fn parse(text: &str) -> Result<Self> {
        let html = Html::parse_document(text);
        let values = |selector: &str, attribute: &str| -> Result<Vec<String>> {
            let selector = Selector::parse(selector).map_err(|error| anyhow::anyhow!("{error}"))?;
            let elements = html.select(&selector);
            Ok(elements.filter_map(|element| element.attr(attribute).map(str::to_owned)).collect())
        };
        let mut targets = values("a[href]", "href")?;
        targets.extend(values("link[href]", "href")?);
        targets.extend(values("img[src], script[src]", "src")?);
        Ok(Page { ids: values("[id]", "id")?.into_iter().collect(), targets })
    }
}

fn why_broken(from: &Path, target: &str, pages: &HashMap<PathBuf, Page>) -> Option<&'static str> {
    if target.starts_with("https://") || target.starts_with("mailto:") {
        return None;
    }
    if target.contains("://") {
        return Some("links to the web have to use https");
    }
    let (file, id) = target.split_once('#').unwrap_or((target, ""));
    let to =
        if file.is_empty() { from.to_owned() } else { without_dots(&from.parent()?.join(file)) };
    let Some(page) = pages.get(&to) else {
        return (!to.exists()).then_some("there's no such file");
    };
    (!id.is_empty() && !page.ids.contains(id)).then_some("the page has no such section")
}

/// Returns the paths of the built book's pages, except for `404.html`.
pub(crate) fn html_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        // We skip 404.html. Its links are absolute, because browsers show that page at any address.
        let is_page = path.extension().is_some_and(|extension| extension == "html")
            && path.file_name().is_some_and(|name| name != "404.html");
        if path.is_dir() {
            files.extend(html_files(&path)?);
        } else if is_page {
            files.push(path);
        }
    }
    Ok(files)
}
