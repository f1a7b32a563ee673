//! `book/index/`: what the commands need to know about the chapters. With these files, the commands
//! don't have to parse Markdown.
//!
//! Each chapter has a file that lists the chapter's sections, with their word counts, exercises and
//! scenes. The file also contains a page's explanations of its predictions' outcomes. Pages that
//! belong to no step's chapter share a file. Each build of the book writes these files, and a test
//! compares them with the chapters.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use judging::workbook::{Workbook, file_names};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use runner::chapter::INDEX;
use serde::Serialize;

use crate::forms::split_list;
use crate::steps::{chapter_of, read};

/// A page that the book's table of contents lists.
pub(crate) struct Page {
    pub(crate) title: String,
    /// The name of the page's file, without its extension: `step02_bites`.
    pub(crate) name: String,
    pub(crate) text: String,
}

#[derive(Default, Serialize)]
struct Index {
    #[serde(rename = "section")]
    sections: Vec<Section>,
}

/// A section of a page: the text between one heading and the next.
#[derive(Serialize)]
pub(crate) struct Section {
    page: String,
    id: String,
    title: String,
    words: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exercises: Vec<String>,
    /// The scenes that are shown with their transcripts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shows: Vec<String>,
    #[serde(rename = "prediction", skip_serializing_if = "Vec::is_empty")]
    predictions: Vec<Prediction>,
}

/// A scene that the page asks the reader to predict.
#[derive(Serialize)]
struct Prediction {
    package: String,
    scene: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    helpers: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    wrong: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
}

/// Updates the files that differ from the chapters and removes the files of chapters that no longer
/// exist.
pub(crate) fn write(root: &Path) -> Result<()> {
    let (dir, files) = (root.join(INDEX), files(root)?);
    fs::create_dir_all(&dir).with_context(|| format!("make {}", dir.display()))?;
    for name in file_names(&dir)?.iter().filter(|name| !files.contains_key(*name)) {
        let file = dir.join(name);
        fs::remove_file(&file).with_context(|| format!("remove {}", file.display()))?;
    }
    for (name, text) in files {
        let file = dir.join(name);
        if read(&file).is_ok_and(|before| before == text) {
            continue;
        }
        fs::write(&file, text).with_context(|| format!("write {}", file.display()))?;
    }
    Ok(())
}

/// Returns the files' names and texts for the current chapters.
pub(crate) fn files(root: &Path) -> Result<BTreeMap<String, String>> {
    let packages = Workbook::at(root.to_owned())?.parts()?;
    let mut indexes: BTreeMap<String, Index> = BTreeMap::new();
    for page in pages(root)? {
        let mut sections = sections_of(&page).with_context(|| format!("{}.md", page.name))?;
        let of_step =
            packages.iter().map(|it| chapter_of(it)).find(|it| *it == chapter_of(&page.name));
        if of_step.is_none() {
            // For any other page, the commands need only the title and the predictions.
            let title = sections.first().map(|first| first.id.clone());
            sections.retain(|it| Some(&it.id) == title.as_ref() || !it.predictions.is_empty());
        }
        let name = format!("{}.toml", of_step.unwrap_or("other_pages"));
        indexes.entry(name).or_default().sections.extend(sections);
    }
    let written = indexes.into_iter().map(|(name, index)| {
        let text = toml::to_string(&index)?;
        Ok((
            name,
            format!(
                "# Written by `cargo run -p book -- index` from the chapters in book/src.\n\n{text}"
            ),
        ))
    });
    written.collect()
}

/// Returns the pages in the order of the table of contents.
pub(crate) fn pages(root: &Path) -> Result<Vec<Page>> {
    let src = root.join("book/src");
    let summary = read(&src.join("SUMMARY.md"))?;
    let links = summary.lines().filter_map(|line| {
        let (title, file) = line.split_once('[')?.1.split_once("](")?;
        Some((title, file.split_once(".md)")?.0))
    });
    let page = |(title, name): (&str, &str)| {
        let text = read(&src.join(format!("{name}.md")))?;
        Ok(Page { title: title.to_owned(), name: name.to_owned(), text })
    };
    links.map(page).collect()
}

/// Splits a page into its sections. Lines in code blocks don't count as headings.
fn sections_of(page: &Page) -> Result<Vec<Section>> {
    let mut pieces: Vec<(&str, String)> = Vec::new();
    let mut is_code = false;
    for line in page.text.lines() {
        is_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#').strip_prefix(' ');
        match (heading.filter(|_| line.starts_with('#') && !is_code), pieces.last_mut()) {
            (Some(heading), _) => pieces.push((heading, String::new())),
            (None, Some((_, text))) => text.extend([line, "\n"]),
            (None, None) => (),
        }
    }
    pieces.into_iter().map(|(heading, text)| section(&page.name, heading, &text)).collect()
}

fn section(page: &str, heading: &str, text: &str) -> Result<Section> {
    let (title, id) = match heading.split_once(" {#") {
        Some((title, id)) => (title, Some(id.trim_end().trim_end_matches('}').to_owned())),
        None => (heading, None),
    };
    let title = title.trim().replace(['`', '*'], "");
    let mut section = Section {
        page: page.to_owned(),
        id: id.unwrap_or_else(|| id_of(&title)),
        title,
        words: text.split_whitespace().count(),
        exercises: Vec::new(),
        shows: Vec::new(),
        predictions: Vec::new(),
    };
    for (directive, behind) in directives(text) {
        match directive.as_slice() {
            ["exercise", number] => section.exercises.push((*number).to_owned()),
            ["transcript", package, scene] => section.shows.push(format!("{package}/{scene}")),
            ["scene", package, scene, helpers @ ..] => section.predictions.push(Prediction {
                package: (*package).to_owned(),
                scene: (*scene).to_owned(),
                helpers: helpers.iter().map(|&it| it.to_owned()).collect(),
                wrong: split_list(behind)?.0.to_owned(),
                explanation: explanation(behind)?.map(in_plain_words),
            }),
            _ => (),
        }
    }
    Ok(section)
}

/// Returns the words of each directive in some Markdown, with the text after the directive.
fn directives(text: &str) -> impl Iterator<Item = (Vec<&str>, &str)> {
    text.match_indices("{{#").filter_map(|(at, begin)| {
        let (directive, behind) = text[at + begin.len()..].split_once("}}")?;
        Some((directive.split_whitespace().collect(), behind))
    })
}

/// Returns the id that mdBook gives a heading.
fn id_of(title: &str) -> String {
    let chars = title.chars().filter_map(|char| match char {
        _ if char.is_alphanumeric() || "_-".contains(char) => Some(char.to_ascii_lowercase()),
        _ if char.is_whitespace() => Some('-'),
        _ => None,
    });
    chars.collect()
}

/// Returns a page's explanation, in Markdown, of the outcome of a scene that readers predict.
pub(crate) fn explanation_of<'a>(
    page: &'a str,
    package: &str,
    scene: &str,
) -> Result<Option<&'a str>> {
    let asks = |(directive, _): &(Vec<&str>, &str)| matches!(directive.as_slice(), ["scene", of, name, ..] if (*of, *name) == (package, scene));
    directives(page).find(asks).map_or(Ok(None), |(_, behind)| explanation(behind))
}

/// Returns the explanation of a scene's outcome, given the text after the scene. The explanation is
/// in the fold that follows the scene or its list of wrong answers.
fn explanation(behind: &str) -> Result<Option<&str>> {
    let (_, behind) = split_list(behind)?;
    let inside = || {
        let fold = behind.trim_start().strip_prefix("<details><summary>What happened")?;
        let (_, inside) = fold.split_once("</summary>")?;
        inside.split_once("</details>").map(|(inside, _)| inside.trim())
    };
    Ok(inside())
}

/// Converts Markdown to text for a terminal, without emphasis or links. Replaces each scene's
/// transcript with the command that plays the scene. Leaves out all other directives, such as
/// pictures.
fn in_plain_words(markdown: &str) -> String {
    let paragraphs = markdown.split("\n\n").filter_map(|it| match it.trim().strip_prefix("{{#") {
        Some(directive) => command_for(directive),
        None => Some(without_marks(it)),
    });
    paragraphs.collect::<Vec<String>>().join("\n\n")
}

fn command_for(directive: &str) -> Option<String> {
    let scene = directive.strip_prefix("transcript ")?.strip_suffix("}}")?;
    let (package, name) = scene.split_once(' ')?;
    Some(format!("    cargo run -p {package} -- play {name}"))
}

/// Returns a paragraph or a list without Markdown's markup, except for backticks and the dashes of
/// a list.
fn without_marks(paragraph: &str) -> String {
    let mut plain = String::new();
    for event in Parser::new(paragraph) {
        match event {
            Event::Text(text) => plain += &text,
            Event::Code(code) => plain.extend(["`", &code, "`"]),
            Event::SoftBreak => plain.push(' '),
            Event::Start(Tag::Item) => plain += "- ",
            Event::End(TagEnd::Item) => plain.push('\n'),
            _ => (),
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(text: &str) -> Vec<Section> {
        let (title, name) = ("Step 90".to_owned(), "step90".to_owned());
        sections_of(&Page { title, name, text: text.to_owned() }).expect("sections")
    }

    #[test]
    fn a_page_is_split_at_its_headings_but_not_in_code() {
        let sections = sections(
            "# Step 90: A page\n\nOne two.\n## First, and `sleep(0)`\n```text\n# no heading\n```\n\
             ## What's there {#two}\n",
        );
        let told: Vec<(&str, &str, usize)> =
            sections.iter().map(|it| (&*it.id, &*it.title, it.words)).collect();
        let expected = [
            ("step-90-a-page", "Step 90: A page", 2),
            ("first-and-sleep0", "First, and sleep(0)", 5),
            ("two", "What's there", 0),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_section_has_its_exercises_and_scenes_and_what_explains_them() {
        let text = "# Step\n{{#scene step90_x guess helper other}}\n\n<!-- answers\n- 1: no | Not so.\n-->\n\n\
            <details><summary>What happened, and why</summary>\n\nIt *did* `a * b`, see [`a`\npage](b.md#c).\n\n\
            - One.\n\n{{#picture seen.svg}}\n\n{{#transcript step90_x again}}\n\n</details>\n\n\
            {{#exercise 90.1}} {{#exercise 90.2}}\n{{#transcript step90_x seen}}\n\nOne.\n";
        let section = sections(text).remove(0);
        assert_eq!(section.exercises, ["90.1", "90.2"]);
        assert_eq!(section.shows, ["step90_x/again", "step90_x/seen"]);
        let [Prediction { scene, helpers, wrong, explanation, .. }] = &*section.predictions else {
            panic!("one prediction");
        };
        assert_eq!((&**scene, &**wrong), ("guess", "- 1: no | Not so.\n"));
        assert_eq!(*helpers, ["helper", "other"]);
        let plain =
            "It did `a * b`, see `a` page.\n\n- One.\n\n    cargo run -p step90_x -- play again";
        assert_eq!(explanation.as_deref(), Some(plain));
    }
}
