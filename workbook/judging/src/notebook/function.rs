//! Finds the function between a pair of ANCHOR comments in source text and reads or replaces the
//! function's body. Everything outside the body is left unchanged, regardless of its formatting.

use std::ops::Range;

use anyhow::{Context, bail, ensure};

use super::tokens::{TokenKind, outside, tokens};
use exercises::Exercise;

/// A function between a pair of anchors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function<'a> {
    /// The whole source text.
    text: &'a str,
    /// The range of the lines between the anchors.
    region: Range<usize>,
    /// The start of the line with `fn`.
    fn_line: usize,
    /// The range of the function's name.
    name: Range<usize>,
    /// The range of the body, without the braces. The range consists of whole lines, unless code or
    /// a comment shares a line with a brace.
    body: Range<usize>,
}

impl<'a> Function<'a> {
    /// Finds the function between the anchors with the given name. Returns `None` if the text
    /// doesn't have these anchors.
    pub fn find(text: &'a str, anchor: &str) -> anyhow::Result<Option<Function<'a>>> {
        let Some(region) = region(text, anchor)? else {
            return Ok(None);
        };
        let mut outside = outside(tokens(text, region.clone()));
        let keyword = outside.find(|token| &text[token.range.clone()] == "fn");
        let keyword =
            keyword.with_context(|| format!("no function between the anchors `{anchor}`"))?;
        let name = outside.next().filter(|token| token.kind == TokenKind::Word);
        let name = name.with_context(|| format!("the function of `{anchor}` has no name"))?;
        let opens = outside.find(|token| matches!(token.kind, TokenKind::Sign('{' | ';')));
        let opens = opens.filter(|token| token.kind == TokenKind::Sign('{'));
        let opens = opens.with_context(|| format!("the function of `{anchor}` has no body"))?;
        let closes = outside.next().filter(|token| token.kind == TokenKind::Sign('}'));
        let closes =
            closes.with_context(|| format!("the body of `{anchor}` lacks its closing brace"))?;
        let another = outside.any(|token| &text[token.range] == "fn");
        ensure!(!another, "two functions between the anchors `{anchor}`");
        Ok(Some(Function {
            text,
            region,
            fn_line: start_of_line(text, keyword.range.start),
            name: name.range,
            body: whole_lines(text, opens.range.end..closes.range.start),
        }))
    }

    /// Returns the body, without the braces.
    pub fn body(&self) -> &'a str {
        &self.text[self.body.clone()]
    }

    /// Returns everything between the anchors: the function with its doc comment and attributes.
    pub fn whole(&self) -> &'a str {
        &self.text[self.region.clone()]
    }

    /// Returns the number of the line with `fn`.
    pub(crate) fn line(&self) -> usize {
        self.text[..self.fn_line].matches('\n').count() + 1
    }

    /// Returns true if the body is still the starter's body.
    pub fn is_not_written(&self) -> bool {
        let body = self.body().trim();
        body.starts_with("todo!(") && body.ends_with(')') && body.contains("\"exercise ")
    }

    /// Returns the function's name.
    pub(crate) fn name(&self) -> &'a str {
        &self.text[self.name.clone()]
    }

    /// Returns the whole source text with a new body.
    pub fn with_body(&self, body: &str) -> String {
        let (before, after) = (&self.text[..self.body.start], &self.text[self.body.end..]);
        if body == self.body() {
            return self.text.to_owned();
        }
        let indent = indentation(&self.text[self.fn_line..]);
        // A body that doesn't consist of whole lines was between braces on a single line.
        let line = format!("{indent}    {}\n", body.trim());
        let body = if body.contains('\n') { body } else { &line };
        let first = if before.ends_with('\n') || body.starts_with('\n') { "" } else { "\n" };
        let last = if body.ends_with('\n') { "" } else { "\n" };
        let closing = if after.starts_with('}') { indent } else { "" };
        format!("{before}{first}{body}{last}{closing}{after}")
    }

    /// Returns the whole source text with a `todo!` as the body.
    pub(crate) fn starter(&self, exercise: &Exercise) -> String {
        let indent = indentation(&self.text[self.fn_line..]);
        let task = format!("exercise {}: {}", exercise.number, exercise.task);
        // The message of a `todo!` is a format string.
        let task = task.replace('{', "{{").replace('}', "}}");
        self.with_body(&todo(&format!("{indent}    "), &task))
    }
}

pub(super) fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Shrinks a body's range to whole lines where possible. The start moves only if nothing follows
/// the opening brace on its line, and the end moves only if nothing precedes the closing brace on
/// its line.
fn whole_lines(text: &str, body: Range<usize>) -> Range<usize> {
    let first = text[body.clone()].split_inclusive('\n').next().unwrap_or_default();
    let is_blank = first.ends_with('\n') && first.trim().is_empty();
    let start = body.start + if is_blank { first.len() } else { 0 };
    let last = start_of_line(text, body.end);
    let is_alone = last >= start && text[last..body.end].trim().is_empty();
    start..if is_alone { last } else { body.end }
}

/// Returns a `todo!`, formatted as rustfmt would format it.
fn todo(indent: &str, task: &str) -> String {
    const WIDTH: usize = 100;
    let one_line = format!("{indent}todo!({task:?})");
    if one_line.chars().count() <= WIDTH {
        one_line
    } else {
        format!("{indent}todo!(\n{indent}    {task:?}\n{indent})")
    }
}

/// Finds the lines between the anchors. Fails if the anchors aren't a pair, are in the wrong order
/// or occur twice.
fn region(text: &str, anchor: &str) -> anyhow::Result<Option<Range<usize>>> {
    // Most of a step's files don't have these anchors. This test skips such files quickly.
    if !text.contains(&format!(": {anchor}")) {
        return Ok(None);
    }
    let marks = |word: &str| {
        let mark = format!("// {word}: {anchor}");
        let mut found = lines(text).filter(move |line| text[line.clone()].trim() == mark);
        (found.next(), found.next().is_some())
    };
    let (first, first_again) = marks("ANCHOR");
    let (last, last_again) = marks("ANCHOR_END");
    ensure!(!first_again && !last_again, "the anchor `{anchor}` occurs twice");
    match (first, last) {
        (Some(first), Some(last)) if first.end <= last.start => Ok(Some(first.end..last.start)),
        (None, None) => Ok(None),
        _ => bail!(
            "`// ANCHOR: {anchor}` has to come before the function and `// ANCHOR_END: {anchor}` \
             after it"
        ),
    }
}

/// Returns the range of each line, including its newline.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let range = *start..*start + line.len();
        *start = range.end;
        Some(range)
    })
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
impl Pipe {
    // ANCHOR: read
    /// Reads. This fn is documented.
    pub fn read(
        &self,
    ) -> usize {
        fn inner() {
            1
        }
        inner()
    }
    // ANCHOR_END: read

    // ANCHOR: listing
    // ANCHOR_END: listing
}
";

    fn exercise() -> Exercise {
        let text = "[[exercise]]\nnumber = '1.2'\nname = 'read'\ntask = 'Read \"{}\".'\nminutes = 1\n\
                    scenes = []\nquestion = 'How?'\nmethod = 'So.'\n";
        exercises::parse(text).unwrap().remove(0)
    }

    fn read(text: &str) -> Function<'_> {
        Function::find(text, "read").unwrap().unwrap()
    }

    #[test]
    fn the_body_is_what_is_between_the_braces_of_the_function() {
        let function = read(TEXT);
        assert!(function.body().starts_with("        fn inner() {\n"));
        assert!(function.body().ends_with("        inner()\n"));
        assert_eq!((function.name(), function.line()), ("read", 4));
    }

    #[test]
    fn a_body_put_back_restores_every_byte() {
        let starter = read(TEXT).starter(&exercise());
        assert!(starter.contains("        todo!(\"exercise 1.2: Read \\\"{{}}\\\".\")\n    }\n"));
        assert_eq!(read(&starter).with_body(read(TEXT).body()), TEXT);
    }

    /// Bodies in formats that a reader may use. The test puts each body between two anchors.
    const BODIES: [&str; 9] = [
        "{ 1 }",
        "{}",
        "\n    {\n        1\n    }",
        "{\n        1\n        }",
        "{\n1\n}",
        "{ // one\n        1 // }\n    }",
        "{\n        let _ = (\"}\", '}', r#\"}\"#); /* } */\n        1 }",
        "where\n        Self: 'static,\n    { if true { 1 } else { 2 } }",
        "{\r\n        1\r\n    }",
    ];

    #[test]
    fn a_body_is_found_however_it_is_formatted() {
        for body in BODIES {
            let text = format!(
                "// ANCHOR: read\n#[doc = \"fn {{\"]\npub(crate) fn read(&self) -> [u8; {{ 1 }}] {body}\n// ANCHOR_END: read\nfn after() {{}}\n"
            );
            let function = read(&text);
            assert_eq!((function.name(), function.line()), ("read", 3), "{text}");
            let put_back = |text: &str, body| read(text).with_body(body);
            assert_eq!(put_back(&text, function.body()), text);
            let starter = function.starter(&exercise());
            assert!(read(&starter).is_not_written(), "{starter}");
            assert!(starter.ends_with("}\n// ANCHOR_END: read\nfn after() {}\n"), "{starter}");
            let rustfmt_s = function.with_body("    2\n");
            assert_eq!(read(&rustfmt_s).body(), "    2\n", "{rustfmt_s}");
            assert_eq!(put_back(&starter, "    2\n"), rustfmt_s);
        }
    }

    #[test]
    fn what_is_wrong_between_the_anchors_is_named() {
        let error = |code| {
            let text = format!("// ANCHOR: read\n{code}\n// ANCHOR_END: read\n");
            Function::find(&text, "read").unwrap_err().to_string()
        };
        assert!(error("struct Read;").contains("no function"));
        assert!(error("fn read() { {").contains("lacks its closing brace"));
        assert!(error("fn read();\nconst A: [u8; { 1 }];").contains("has no body"));
        assert!(error("fn read() {}\nfn write() {}").contains("two functions"));
    }

    #[test]
    fn a_missing_anchor_is_not_an_error_but_half_a_pair_is() {
        assert_eq!(Function::find(TEXT, "write").unwrap(), None);
        let half = TEXT.replace("    // ANCHOR_END: read\n", "");
        assert!(Function::find(&half, "read").is_err());
        assert!(Function::find(TEXT, "listing").is_err());
    }
}
