//! A scene's source: the code that a reader sees before predicting, and the strings in it, from which
//! the scene makes the lines of its transcript.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Context, bail};

use crate::notebook::tokens::{Kind, Token, outside, tokens};
use crate::workbook::{Workbook, file_names, read};

/// A scene's source.
#[derive(Debug)]
pub(crate) struct SceneSource {
    /// The scene's function without its doc comment, which can say too much, and the helpers.
    pub(crate) code: String,
    /// The text of the doc comment.
    pub(crate) notes: String,
    /// The strings in the code, and in what it calls in the same file.
    pub(crate) strings: Vec<Text>,
    /// True if the code makes tasks or callbacks, so that its lines can come in another order.
    pub(crate) schedules: bool,
}

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// Its value.
    pub(crate) value: String,
    /// True if it's an argument of a call, or an element of a list: a label rather than an outcome.
    pub(crate) is_label: bool,
    /// True if it's the format of a line, in code that the reader sees.
    pub(crate) is_a_seen_line: bool,
    /// True if it's in the scene's own file.
    pub(crate) is_near: bool,
    /// The place in its file.
    pub(crate) at: usize,
}

/// A function at the top level of a file.
#[derive(Debug)]
struct Function {
    name: String,
    docs: Range<usize>,
    code: Range<usize>,
}

/// What code calls that runs something later.
const SCHEDULING: [&str; 6] =
    ["async", "call_soon", "call_later", "create_task", "spawn", "add_done_callback"];

impl SceneSource {
    /// Finds a scene in the step's source. Without a list of helpers, those are shown that the
    /// scene's function names itself.
    ///
    /// Fails if no file of the step declares the scene.
    pub(crate) fn find(
        workbook: &Workbook,
        package: &str,
        scene: &str,
        helpers: Option<&[String]>,
    ) -> anyhow::Result<SceneSource> {
        let dir = workbook.step(package).join("src/scenes");
        for name in file_names(&dir)? {
            let text = read(&dir.join(&name))?;
            // Splitting it into tokens takes long, so leave out the files that can't have it.
            if !text.contains(scene) || !declares(&text, scene) {
                continue;
            }
            let mut source = in_file(&text, scene, helpers)?;
            // What several files need is in `mod.rs`.
            let shared = read(&dir.join("mod.rs")).unwrap_or_default();
            let shared = strings(&shared, 0..shared.len(), false).into_iter();
            source.strings.extend(shared.map(|string| Text { is_near: false, ..string }));
            return Ok(source);
        }
        bail!("no file of {package} declares the scene {scene}")
    }
}

fn in_file(text: &str, scene: &str, helpers: Option<&[String]>) -> anyhow::Result<SceneSource> {
    let functions = functions(text);
    let named = |name: &str| functions.iter().find(|function| function.name == name);
    let own = named(scene).with_context(|| format!("no function plays {scene}"))?;
    let shown: Vec<&Function> = match helpers {
        Some(helpers) => helpers.iter().filter_map(|helper| named(helper)).collect(),
        None => called_by(text, own, &functions),
    };
    let seen: Vec<&Function> = std::iter::once(own).chain(shown).collect();
    let code: Vec<&str> = seen.iter().map(|function| &text[function.code.clone()]).collect();
    let mut strings_of: Vec<Text> = Vec::new();
    for function in &functions {
        let is_seen = seen.iter().any(|it| it.name == function.name);
        strings_of.extend(strings(text, function.code.clone(), is_seen));
    }
    let words: BTreeSet<&str> = tokens(text, own.code.clone()).map(|it| &text[it.range]).collect();
    let docs = text[own.docs.clone()].lines().filter_map(|line| line.strip_prefix("///"));
    let docs: Vec<&str> = docs.map(str::trim).collect();
    Ok(SceneSource {
        code: code.join("\n\n"),
        notes: docs.join(" ").trim().to_owned(),
        strings: strings_of,
        schedules: SCHEDULING.iter().any(|word| words.contains(word)),
    })
}

/// Returns true if a file has `scene!(name, …)`.
fn declares(text: &str, scene: &str) -> bool {
    let all: Vec<Token> = tokens(text, 0..text.len()).collect();
    let words = |window: &[Token]| {
        let words: Vec<&str> = window.iter().map(|token| &text[token.range.clone()]).collect();
        words == ["scene", "!", "(", scene]
    };
    all.windows(4).any(words)
}

/// Lists the functions at the top level of a file.
fn functions(text: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut outside = outside(tokens(text, 0..text.len()));
    while let Some(token) = outside.next() {
        if &text[token.range.clone()] != "fn" {
            continue;
        }
        let Some(name) = outside.next().filter(|name| name.kind == Kind::Word) else { continue };
        let ends = outside.find(|token| matches!(token.kind, Kind::Sign('}' | ';')));
        let Some(ends) = ends else { break };
        let begins = text[..token.range.start].rfind('\n').map_or(0, |newline| newline + 1);
        found.push(Function {
            name: text[name.range].to_owned(),
            docs: docs_before(text, begins)..begins,
            code: begins..ends.range.end,
        });
    }
    found
}

/// Returns where the doc comment and the attributes above a function begin.
fn docs_before(text: &str, begins: usize) -> usize {
    let mut start = begins;
    while let Some(line) = text[..start].strip_suffix('\n') {
        let line_start = line.rfind('\n').map_or(0, |newline| newline + 1);
        let line = &line[line_start..];
        if !line.starts_with("///") && !line.starts_with("#[") {
            break;
        }
        start = line_start;
    }
    start
}

/// Returns the functions that another one names, in the order in which it does.
fn called_by<'a>(text: &str, own: &Function, functions: &'a [Function]) -> Vec<&'a Function> {
    let mut called: Vec<&Function> = Vec::new();
    for token in tokens(text, own.code.clone()) {
        let word = &text[token.range];
        let function = functions.iter().find(|it| it.name == word && it.name != own.name);
        if let Some(function) = function.filter(|it| called.iter().all(|got| got.name != it.name)) {
            called.push(function);
        }
    }
    called
}

/// Lists the strings in a part of a file.
fn strings(text: &str, range: Range<usize>, is_seen: bool) -> Vec<Text> {
    let all: Vec<Token> = tokens(text, range).collect();
    let word = |index: usize| all.get(index).map_or("", |token| &text[token.range.clone()]);
    let before = |index: usize, back: usize| index.checked_sub(back).map_or("", word);
    let found = (0..all.len()).filter(|&index| word(index).starts_with('"'));
    found
        .map(|index| Text {
            value: unescaped(word(index)),
            is_label: ["(", ",", "[", "&"].contains(&before(index, 1))
                && !before(index, 2).starts_with("unwrap_or")
                && !before(index, 2).starts_with("map_or"),
            is_a_seen_line: is_seen && before(index, 5) == "say" && before(index, 4) == "!",
            is_near: true,
            at: all[index].range.start,
        })
        .collect()
}

/// Returns the value of a string literal, as far as a line of a transcript can need it.
fn unescaped(literal: &str) -> String {
    let inside = literal.trim_start_matches('"').trim_end_matches('"');
    let inside = if literal.ends_with("\\\"\"") { &literal[1..literal.len() - 1] } else { inside };
    let mut value = String::new();
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once('\\') {
        value += before;
        let mut chars = after.chars();
        match chars.next() {
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            // The string goes on with the next line's first word.
            Some('\n') => {
                rest = chars.as_str().trim_start();
                continue;
            }
            Some(other) => value.push(other),
            None => (),
        }
        rest = chars.as_str();
    }
    value + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_every_scene_is_found_without_its_doc_comment() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        for step in workbook.steps().unwrap() {
            let snapshots = file_names(&workbook.snapshots(&step)).unwrap();
            let scenes: Vec<&str> =
                snapshots.iter().filter_map(|name| name.strip_suffix(".snap")).collect();
            assert!(!scenes.is_empty(), "{step}");
            for scene in scenes {
                let source = SceneSource::find(&workbook, &step, scene, None).unwrap();
                assert!(source.code.contains(&format!("fn {scene}(")), "{}", source.code);
                assert!(!source.code.lines().any(|line| line.starts_with("///")), "{scene}");
                assert!(source.code.ends_with('}'), "{}", source.code);
                assert!(!source.strings.is_empty(), "{scene}");
            }
        }
    }

    #[test]
    fn a_string_is_read_as_the_compiler_reads_it() {
        assert_eq!(unescaped("\"two \\\n    words\""), "two words");
        assert_eq!(unescaped(r#""a \"b\"""#), "a \"b\"");
        assert_eq!(unescaped(r#""tab\t{{}}""#), "tab\t{{}}");
    }
}
