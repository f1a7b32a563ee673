//! The explanation at the end of `predict`: the scene's outcome and its cause.
//!
//! If the step's chapter asks the reader to predict the scene and explains the outcome, the
//! explanation is the text in the chapter's fold. Otherwise it's the doc comment of the scene's
//! function.

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
    let text = chapter.explanation(package, scene).unwrap_or(notes);
    let paragraphs = text.split("\n\n").map(|it| shown(terminal, it));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// Formats a paragraph, a list or a command for the terminal.
fn shown(terminal: &Terminal, paragraph: &str) -> String {
    if paragraph.starts_with("    ") {
        return format!("{}\n", paragraph.trim_end());
    }
    let mut items: Vec<String> = Vec::new();
    for line in paragraph.lines().map(str::trim) {
        match items.last_mut() {
            Some(item) if !line.starts_with("- ") => *item += &format!(" {line}"),
            _ => items.push(line.to_owned()),
        }
    }
    let items = items.iter().map(|item| match item.strip_prefix("- ") {
        Some(item) => terminal.wrap_hanging("- ", "  ", item),
        None => terminal.wrap("", item),
    });
    items.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Terminal = Terminal { colour: false, width: 40 };

    #[test]
    fn a_paragraph_and_a_list_are_wrapped_each_in_its_way_and_a_command_is_not() {
        let text = "- `early` is missing, since nothing\n  of it ran.\n- `late` came late.";
        let wrapped = "- `early` is missing, since nothing of\n  it ran.\n- `late` came late.\n";
        assert_eq!(shown(&PLAIN, text), wrapped);
        let command = "    cargo run -p step90_fixture -- play greetings";
        assert_eq!(shown(&PLAIN, command), format!("{command}\n"));
    }
}
