//! Comments have the same maximum width as code, a hundred columns. rustfmt only wraps code.

use std::fs;
use std::path::{Path, PathBuf};

use judging::workbook::{Workbook, file_names};

/// Directories outside the workbook's source: cargo's output, a reader's notebook, and pages that
/// misbehave.
const APART: [&str; 4] = ["target", "work", "work-before", "fixture"];

/// Lists the Rust files in a directory and its subdirectories.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let names = file_names(dir).expect("list").into_iter();
    let names = names.filter(|name| !name.starts_with('.') && !APART.contains(&name.as_str()));
    let below = names.map(|name| dir.join(name)).flat_map(|path| match path.is_dir() {
        true if path.is_symlink() => Vec::new(),
        true => sources(&path),
        false => vec![path],
    });
    below.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Returns true if a comment's line is too wide, unless the line can't be wrapped because it's a
/// table row or a command or contains a link.
fn is_too_wide(line: &str) -> bool {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
    let text = comment.trim_start_matches(['/', '!']);
    let is_whole = text.starts_with(" |")
        || text.starts_with("     ")
        || text.contains("](")
        || text.contains("://");
    line.chars().count() > 100 && !is_whole
}

#[test]
fn no_comment_is_wider_than_code() {
    let root = Workbook::of(env!("CARGO_MANIFEST_DIR")).expect("the workbook").root;
    let all = sources(&root);
    assert!(all.len() > 500, "only {} files were found", all.len());
    for file in all {
        let text = fs::read_to_string(&file).expect("read");
        let wide = text.lines().zip(1..).filter(|(line, _)| is_too_wide(line));
        let wide: Vec<String> = wide.map(|(line, number)| format!("{number}: {line}")).collect();
        assert!(wide.is_empty(), "{}:\n{}", file.display(), wide.join("\n"));
    }
}

#[test]
fn only_what_cannot_be_wrapped_may_be_wider() {
    let words = "word ".repeat(25);
    assert!(is_too_wide(&format!("    /// {words}")));
    assert!(is_too_wide(&format!("// {words}")));
    for line in
        [format!("//! | {words} |"), format!("//!     {words}"), format!("/// [a](b) {words}")]
    {
        assert!(!is_too_wide(&line), "{line}");
    }
    assert!(!is_too_wide(&format!("let a = {words};")));
}
