//! The broken servers: what their clients see, their loops' ticks, and their fixes.
//!
//! The clients' view and the ticks come from the snapshots in `beyond/broken_servers/tests/`. The
//! rest comes from a server's file in `src/servers/` and its patch in `tests/fixed/`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use judging::workbook::without_header;

use crate::markdown::rust;
use crate::steps::read;

/// Returns the transcript of what a server's clients see.
pub(crate) fn story(root: &Path, name: &str) -> Result<String> {
    Ok(shown(name, "", snapshot(root, name)?.trim_end()))
}

/// Returns a fold with a server's source.
pub(crate) fn source(root: &Path, name: &str) -> Result<String> {
    let file = format!("beyond/broken_servers/src/servers/{name}.rs");
    let source = read(&root.join(&file))?;
    Ok(format!(
        "<details class=\"source\">\n<summary>Its source: <code>{file}</code></summary>\n\n{}\n\n</details>",
        rust(source.trim_end()),
    ))
}

/// Finds the only line that contains `fragment` in a server's source and returns the line's number.
/// One of the book's answers refers to that line.
pub(crate) fn line(root: &Path, name: &str, fragment: &str) -> Result<String> {
    let file = format!("beyond/broken_servers/src/servers/{name}.rs");
    let source = read(&root.join(&file))?;
    let found = source.lines().zip(1..).filter(|(line, _)| line.contains(fragment));
    let numbers: Vec<u32> = found.map(|(_, number)| number).collect();
    ensure!(numbers.len() == 1, "`{fragment}` is in {} lines of {file}", numbers.len());
    Ok(numbers[0].to_string())
}

/// Returns the ticks `first` to `last` of a server's loop, as Markdown.
pub(crate) fn ticks(root: &Path, name: &str, first: usize, last: usize) -> Result<String> {
    let all = snapshot(root, &format!("{name}_ticks"))?;
    Ok(shown(name, " --ticks", &ticks_between(&all, first, last)?))
}

/// Returns a server's fix as a diff in Markdown.
pub(crate) fn fix(root: &Path, name: &str) -> Result<String> {
    let patch = read(&root.join(format!("beyond/broken_servers/tests/fixed/{name}.patch")))?;
    let hunks = patch.lines().skip_while(|line| !line.starts_with("@@"));
    // Replace each line that contains a hunk's position with an empty line.
    let lines = hunks.map(|line| if line.starts_with("@@ ") { "" } else { line });
    let lines: Vec<&str> = lines.skip(1).collect();
    Ok(format!("```diff\n{}\n```", lines.join("\n")))
}

fn snapshot(root: &Path, name: &str) -> Result<String> {
    let text = read(&root.join(format!("beyond/broken_servers/tests/snapshots/{name}.snap")))?;
    Ok(without_header(&text).to_owned())
}

fn shown(name: &str, options: &str, output: &str) -> String {
    let command = format!("cargo run -p broken_servers -- {name}{options}");
    format!("<span class=\"filename\">{command}</span>\n\n```text\n{output}\n```")
}

/// Returns the lines of the ticks `first` to `last`. A tick's first line begins with the word
/// `tick` and the tick's number, as in `tick 3 at`.
fn ticks_between(all: &str, first: usize, last: usize) -> Result<String> {
    let place = |number: usize| {
        let begins = |line: &&str| line.starts_with(&format!("tick {number} at "));
        all.lines().position(|line| begins(&line))
    };
    let begin = place(first).with_context(|| format!("there's no tick {first}"))?;
    place(last).with_context(|| format!("there's no tick {last}"))?;
    // The last tick is followed by an empty line and the symptom.
    let end_of_all = || all.lines().position(str::is_empty).unwrap_or_else(|| all.lines().count());
    let end = place(last + 1).unwrap_or_else(end_of_all);
    ensure!(begin < end, "no ticks from {first} to {last}");
    let lines: Vec<&str> = all.lines().take(end).skip(begin).collect();
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKS: &str = "tick 1 at 0 s\n  ran    a\ntick 2 at 0 s\n  ran    b\ntick 3 at 1 s\n  ran    c\n\nThe end.\n";

    #[test]
    fn a_part_of_a_trace_has_whole_ticks() {
        let part = |first, last| ticks_between(TICKS, first, last);
        assert_eq!(part(2, 2).expect("a tick"), "tick 2 at 0 s\n  ran    b");
        assert_eq!(part(1, 3).expect("all ticks"), TICKS.trim_end_matches("\n\nThe end.\n"));
        assert_eq!(part(3, 4).expect_err("too few").to_string(), "there's no tick 4");
        assert_eq!(part(3, 2).expect_err("backwards").to_string(), "no ticks from 3 to 2");
    }
}
