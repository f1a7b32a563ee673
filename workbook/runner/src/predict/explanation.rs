//! What `predict` says at the end: what happened in the scene, and why.
//!
//! If the step's chapter asks for the scene, these are the words of its fold; otherwise it's the
//! doc comment of the scene's function.

use crate::chapter::Chapter;
use judging::terminal::Terminal;

/// Returns the explanation of a scene, with a blank line between its paragraphs.
pub(super) fn explanation(
    terminal: &Terminal,
    chapter: &Chapter,
    package: &str,
    scene: &str,
    notes: &str,
) -> String {
    let markdown = chapter.explanation(package, scene).unwrap_or(notes);
    let paragraphs = markdown.split("\n\n").filter_map(|it| match it.trim().strip_prefix("{{#") {
        Some(directive) => command_for(directive).map(|command| format!("    {command}\n")),
        None => Some(shown(terminal, it)),
    });
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// Returns what to type in place of a scene that the book shows. A picture has nothing in its
/// place.
fn command_for(directive: &str) -> Option<String> {
    let scene = directive.strip_prefix("transcript ")?.strip_suffix("}}")?;
    let (package, name) = scene.split_once(' ')?;
    Some(format!("cargo run -p {package} -- play {name}"))
}

/// Formats a paragraph or a list of Markdown for the terminal.
fn shown(terminal: &Terminal, paragraph: &str) -> String {
    let mut items: Vec<String> = Vec::new();
    for line in paragraph.lines().map(str::trim) {
        match items.last_mut() {
            Some(item) if !line.starts_with("- ") => *item += &format!(" {line}"),
            _ => items.push(line.to_owned()),
        }
    }
    let items = items.iter().map(|item| match item.strip_prefix("- ") {
        Some(item) => terminal.wrap_hanging("- ", "  ", &plain(item)),
        None => terminal.wrap("", &plain(item)),
    });
    items.collect()
}

/// Returns a text without its emphasis, and with the words of each link in its place. What's in
/// backticks stays as it is.
fn plain(markdown: &str) -> String {
    let markdown = without_links(markdown);
    let pieces = markdown.split('`').enumerate();
    let pieces = pieces.map(|(index, piece)| match index % 2 {
        0 => piece.replace('*', ""),
        _ => format!("`{piece}`"),
    });
    pieces.collect()
}

fn without_links(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((words, (before, after))) = next_link(rest) {
        text += before;
        text += words;
        rest = after;
    }
    text + rest
}

/// Returns the words of the next link, and what's before and behind it.
fn next_link(text: &str) -> Option<(&str, (&str, &str))> {
    let (before, address) = text.split_once("](")?;
    let (before, words) = before.rsplit_once('[')?;
    let (_, after) = address.split_once(')')?;
    Some((words, (before, after)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::source::SceneSource;
    use judging::workbook::{Workbook, file_names};

    const PLAIN: Terminal = Terminal { colour: false, width: 40 };

    #[test]
    fn emphasis_and_links_disappear_and_code_stays() {
        assert_eq!(plain("*now*, see [`a` page](b.html#c), `2 * 3`"), "now, see `a` page, `2 * 3`");
    }

    #[test]
    fn a_paragraph_and_a_list_are_wrapped_each_in_its_way() {
        let text = "- `early` is missing, since nothing\n  of it ran.\n- `late` came late.";
        let wrapped = "- `early` is missing, since nothing of\n  it ran.\n- `late` came late.\n";
        assert_eq!(shown(&PLAIN, text), wrapped);
    }

    #[test]
    fn a_transcript_is_played_and_a_picture_is_left_out() {
        let played = Some("cargo run -p step90_x -- play seen".to_owned());
        assert_eq!(command_for("transcript step90_x seen}}"), played);
        assert_eq!(command_for("picture seen.svg}}"), None);
    }

    #[test]
    fn every_scene_of_every_step_is_explained() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let mut unexplained = Vec::new();
        for step in workbook.steps().unwrap() {
            let chapter = Chapter::of(&workbook, &step);
            for name in file_names(&workbook.snapshots(&step)).unwrap() {
                let scene = name.trim_end_matches(".snap");
                let source = SceneSource::find(&workbook, &step, scene, None).unwrap();
                let said = explanation(&PLAIN, &chapter, &step, scene, &source.notes);
                assert!(!said.contains("{{"), "{step} {scene}: {said}");
                if said.split_whitespace().count() < 20 {
                    unexplained.push(format!("{step} {scene}: {said}"));
                }
            }
        }
        assert!(
            unexplained.is_empty(),
            "{} scenes:\n{}",
            unexplained.len(),
            unexplained.join("\n")
        );
    }
}
