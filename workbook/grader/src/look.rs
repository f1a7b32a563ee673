//! The lines of a page that a teacher should look at. A body shares its process with the code that
//! judges it, so running the page can't expose a body that cheats on purpose: the body can detect
//! that it's being judged and behave well, or it can end its process after a false report. But such
//! a body has to use names that few other bodies use.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use judging::notebook::page::Page;
use judging::terminal::cut;
use judging::workbook::{file_names, read};

/// The possible effects of a line, each with the words that hint at the effect.
const WORTH_A_LOOK: [(&str, &[&str]); 3] = [
    ("asks how it was started", &["args", "args_os", "argv", "cmdline", "environ", "env", "vars"]),
    ("ends its process", &["exit", "_exit", "abort", "quick_exit", "exit_group", "exec", "execve"]),
    (
        "can write raw records",
        &[
            "WORKBOOK_RECORDS_ON_STDIN",
            "syscall",
            "asm",
            "global_asm",
            "extern",
            "dlsym",
            "link_section",
        ],
    ),
];

/// The maximum number of lines to list.
const MOST: usize = 5;

/// Lists the lines of a page that are worth a look, except lines that the reference also has.
pub(crate) fn worth_a_look(page: &Page) -> anyhow::Result<Vec<String>> {
    let step = page.notebook.workbook.step(page.step.package);
    let reference = sources(&step.join("src"))?;
    let known: HashSet<&str> =
        reference.iter().flat_map(|(_, text)| text.lines()).map(str::trim).collect();
    let src = page.dir().join("src");
    let mut found = Vec::new();
    for (file, text) in sources(&src)? {
        let name = file.strip_prefix(&src).unwrap_or(&file).display();
        let lines = text.lines().enumerate();
        let theirs = lines.filter(|(_, line)| !known.contains(line.trim()));
        found.extend(theirs.filter_map(|(index, line)| {
            let what = what_it_does(line)?;
            Some(format!("{name}:{} {what}: {}", index + 1, cut(line.trim())))
        }));
    }
    if found.len() > MOST {
        let more = found.len() - MOST;
        found.truncate(MOST);
        found.push(format!("and {more} more"));
    }
    Ok(found)
}

/// Reads all sources in a directory and its subdirectories, because a page can have files in
/// addition to its layer's files.
fn sources(dir: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for name in file_names(dir)? {
        let path = dir.join(name);
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path)?;
            found.push((path, text));
        }
    }
    Ok(found)
}

fn what_it_does(line: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or_default();
    let is_of_a_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: HashSet<&str> = code.split(|c| !is_of_a_word(c)).collect();
    let does = |(_, names): &&(&str, &[&str])| names.iter().any(|name| words.contains(name));
    let what: Vec<&str> = WORTH_A_LOOK.iter().filter(does).map(|(what, _)| *what).collect();
    (!what.is_empty()).then(|| what.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_asks_how_it_was_started_or_ends_the_process_is_worth_a_look() {
        let seen = what_it_does("let judged = std::env::args().nth(1);");
        assert_eq!(seen.as_deref(), Some("asks how it was started"));
        let seen = what_it_does("unsafe { libc::_exit(0) }");
        assert_eq!(seen.as_deref(), Some("ends its process"));
        assert_eq!(what_it_does("let exited = arguments.exits; // exit"), None);
    }
}
