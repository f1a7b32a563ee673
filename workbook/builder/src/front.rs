//! What the preview of a link shows of a page: its title, a description, and a picture. This module
//! also writes the site map. The 404 page gets a base URL, so that its links lead to the other
//! pages.
//!
//! Web addresses begin with `site-url` from `book.toml`. If `site-url` is only a path, we don't
//! know a page's full address, so the pages leave out everything that needs it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use mdbook_driver::config::Config;
use scraper::{Html, Selector};

use crate::folds::PRINTED;
use crate::links::html_files;

/// The placeholder for our lines in a page's head; see `theme/head.hbs`.
const PLACE: &str = "<!-- front -->";
/// The picture that a link to any page shows in its preview: the picture's file in `src/`, its
/// width and its height.
const PICTURE: (&str, u32, u32) = ("link.png", 1200, 630);
const SAYS: &str = "Five bytes arrive, you read two: does epoll report the other three?";
/// The maximum length of a description in a link's preview, in characters.
const LENGTH: usize = 160;
/// The first page's two names.
const FIRST: [&str; 2] = ["index.html", "preface.html"];

/// The settings in `book.toml` for the whole book.
struct Site {
    title: String,
    about: String,
    /// The value of `site-url`, with a `/` at the end.
    url: String,
}

/// Adds the data for previews to the pages of the built book, sets the 404 page's base URL, and
/// writes the site map if the book is on the web.
pub(crate) fn complete(pages: &Path, config: &Config) -> Result<()> {
    let url = config.html_config().and_then(|html| html.site_url).unwrap_or_else(|| "/".to_owned());
    let site = Site {
        title: config.book.title.clone().context("the book has no title")?,
        about: config.book.description.clone().context("the book has no description")?,
        url: format!("{}/", url.trim_end_matches('/')),
    };
    let mut listed = Vec::new();
    for path in html_files(pages)? {
        let name = path.strip_prefix(pages)?.display().to_string();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        // The table of contents for browsers without scripts is a frame and not a page, so it gets
        // no preview.
        if name == "toc.html" {
            fs::write(&path, text.replace(PLACE, ""))?;
        } else {
            fs::write(&path, site.completed(&name, &text)?)?;
            listed.push(name);
        }
    }
    if site.is_on_the_web() {
        listed.retain(|name| !["preface.html", PRINTED].contains(&name.as_str()));
        listed.sort();
        fs::write(pages.join("sitemap.xml"), site.map(&listed))?;
    }
    let lost = pages.join("404.html");
    let text = fs::read_to_string(&lost).with_context(|| lost.display().to_string())?;
    Ok(fs::write(&lost, site.found_from_anywhere(&text))?)
}

impl Site {
    fn is_on_the_web(&self) -> bool {
        self.url.starts_with("https://")
    }

    /// Returns a page's address on the web.
    fn address(&self, name: &str) -> String {
        let name = if FIRST.contains(&name) { "" } else { name };
        format!("{}{name}", self.url)
    }

    /// Returns a page with its own description and the data for a link's preview.
    fn completed(&self, name: &str, text: &str) -> Result<String> {
        let html = Html::parse_document(text);
        let is_first = FIRST.contains(&name);
        let title = if is_first {
            escaped(&self.title)
        } else {
            let (_, title) = text.split_once("<title>").context("no title")?;
            title.split("</title>").next().unwrap_or_default().to_owned()
        };
        let own = if is_first { None } else { text_of(&html, "main > p")? };
        let about = own.map_or_else(|| self.about.clone(), |own| shortened(&own));
        let about = escaped(&about);
        let mut head = String::new();
        let properties = [
            ("type", "article"),
            ("site_name", &escaped(&self.title)),
            ("title", &title),
            ("description", &about),
        ];
        for (property, content) in properties {
            writeln!(head, "<meta property=\"og:{property}\" content=\"{content}\">")?;
        }
        if self.is_on_the_web() && name != PRINTED {
            let address = escaped(&self.address(name));
            writeln!(head, "<link rel=\"canonical\" href=\"{address}\">")?;
            writeln!(head, "<meta property=\"og:url\" content=\"{address}\">")?;
            let (picture, width, height) = PICTURE;
            let picture = escaped(&self.address(picture));
            writeln!(head, "<meta property=\"og:image\" content=\"{picture}\">")?;
            writeln!(head, "<meta property=\"og:image:width\" content=\"{width}\">")?;
            writeln!(head, "<meta property=\"og:image:height\" content=\"{height}\">")?;
            writeln!(head, "<meta property=\"og:image:alt\" content=\"{}\">", escaped(SAYS))?;
            writeln!(head, "<meta name=\"twitter:card\" content=\"summary_large_image\">")?;
        }
        let text = text.replacen(PLACE, head.trim_end(), 1);
        let text = between(&text, "<title>", "</title>", &title)?;
        between(&text, "<meta name=\"description\" content=\"", "\">", &about)
    }

    fn map(&self, names: &[String]) -> String {
        let urls = names
            .iter()
            .map(|name| format!("<url><loc>{}</loc></url>\n", escaped(&self.address(name))));
        let urls: String = urls.collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
        )
    }

    /// Returns the 404 page's text with a base URL that has no host, so that the page's links work
    /// on any machine.
    fn found_from_anywhere(&self, text: &str) -> String {
        let path = self
            .url
            .strip_prefix("https://")
            .map_or(self.url.as_str(), |after| after.find('/').map_or("/", |at| &after[at..]));
        let base = |url: &str| format!("<base href=\"{url}\">");
        let text = text.replace(&base(&self.url), &base(path));
        text.replace(&base(self.url.trim_end_matches('/')), &base(path)).replace(PLACE, "")
    }
}

/// Returns the text of the first element that matches a CSS selector and whose text is long and
/// ends like a sentence, or `None` if there's no such element.
fn text_of(html: &Html, selector: &str) -> Result<Option<String>> {
    let selector = Selector::parse(selector).map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut texts = html.select(&selector).map(|found| {
        let text: String = found.text().collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    Ok(texts.find(|text| text.len() > 80 && text.ends_with(['.', '?', ')'])))
}

/// Returns a string, cut at the end of a word if the string is too long for a description.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LENGTH {
        return text.to_owned();
    }
    let begin: String = text.chars().take(LENGTH - 1).collect();
    let words = begin.rsplit_once(' ').map_or(begin.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end_matches([',', '.', ':', ';']))
}

/// Returns `text` with everything between two markers replaced by `with`.
fn between(text: &str, begin: &str, end: &str, with: &str) -> Result<String> {
    let (before, rest) = text.split_once(begin).with_context(|| format!("no {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("no {end}"))?;
    Ok([before, begin, with, end, after].concat())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(url: &str) -> Site {
        Site { title: "A book".to_owned(), about: "About it.".to_owned(), url: url.to_owned() }
    }

    const PAGE: &str = "<head><title>One - A book</title>\n<!-- front -->\n\
        <meta name=\"description\" content=\"All\"></head><main><p>Note:</p>\
        <p>The first paragraph of some length says what the page is about, and ends with a period.</p></main>";

    #[test]
    fn a_page_on_the_web_has_a_description_of_its_own_and_a_picture() {
        let page = site("https://x.example/a/").completed("one.html", PAGE).expect("a page");
        for said in [
            "<meta name=\"description\" content=\"The first paragraph of some length says what the page is about, and ends with a period.\">",
            "<meta property=\"og:title\" content=\"One - A book\">",
            "<meta property=\"og:url\" content=\"https://x.example/a/one.html\">",
            "<meta property=\"og:image\" content=\"https://x.example/a/link.png\">",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        let first = site("https://x.example/a/").completed("index.html", PAGE).expect("a page");
        assert!(first.contains("<title>A book</title>") && first.contains("content=\"About it.\""));
        assert!(
            first.contains("<link rel=\"canonical\" href=\"https://x.example/a/\">"),
            "{first}"
        );
    }

    #[test]
    fn without_an_address_on_the_web_a_page_names_none() {
        let page = site("/").completed("one.html", PAGE).expect("a page");
        assert!(!page.contains("og:url") && !page.contains("canonical"), "{page}");
        assert!(page.contains("og:title"));
    }

    #[test]
    fn a_long_description_ends_with_a_word() {
        let short = shortened(&"words, ".repeat(40));
        assert!(short.chars().count() <= LENGTH && short.ends_with("words…"), "{short}");
    }

    #[test]
    fn the_page_for_a_wrong_address_has_the_path_alone() {
        let page = "<base href=\"https://x.example/a/b/\">";
        let found = |url: &str| site(url).found_from_anywhere(page);
        assert_eq!(found("https://x.example/a/b/"), "<base href=\"/a/b/\">");
        assert_eq!(site("/").found_from_anywhere("<base href=\"/\">"), "<base href=\"/\">");
    }
}
