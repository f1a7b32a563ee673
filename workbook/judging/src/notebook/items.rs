//! Finds items in source text: functions, methods, and a file's imports.

use std::ops::Range;

use super::function::start_of_line;
use super::tokens::{Token, TokenKind, outside, tokens};

/// An item, such as a function or an `impl`.
pub(super) struct Item<'a> {
    text: &'a str,
    /// The range from the first attribute or keyword to the item's end.
    code: Range<usize>,
    /// The range between the braces, if the item ends with a pair of braces.
    inside: Option<Range<usize>>,
}

/// A function or a method.
pub struct Found<'a> {
    function: Item<'a>,
    /// The header of the `impl` around a method, without the brace. `None` for a function outside
    /// an `impl`.
    pub header: Option<&'a str>,
}

/// Finds a file's top-level functions and the methods in its top-level `impl`s.
pub fn functions(text: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    for item in items(text, 0..text.len()) {
        if item.function_name().is_some() {
            found.push(Found { function: item, header: None });
        } else if let Some((header, inside)) = item.as_impl() {
            let methods = items(text, inside).into_iter();
            let methods = methods.filter(|method| method.function_name().is_some());
            found.extend(methods.map(|function| Found { function, header: Some(header) }));
        }
    }
    found
}

/// Returns a file's private imports, except imports that begin with `self` or `super`, which would
/// mean something else in a child module.
pub(super) fn imports(text: &str) -> impl Iterator<Item = &str> {
    items(text, 0..text.len()).into_iter().filter_map(|item| {
        let words: Vec<&str> = item.words().take(2).collect();
        let is_import = words.first() == Some(&"use");
        let is_relative = matches!(words.get(1), Some(&("self" | "super")));
        (is_import && !is_relative).then(|| &text[item.code])
    })
}

impl<'a> Found<'a> {
    /// Returns the range of the function's whole lines, including the comments directly above the
    /// function.
    pub(super) fn lines(&self) -> Range<usize> {
        self.function.lines()
    }

    /// Returns the function's name.
    pub fn name(&self) -> &'a str {
        self.function.function_name().unwrap_or_default()
    }

    /// Returns the function's text, including the comments directly above the function.
    pub fn whole(&self) -> &'a str {
        &self.function.text[self.lines()]
    }

    /// Splits the function's text into the comments and attributes above the function and the
    /// function itself.
    pub fn docs_and_code(&self) -> (&'a str, &'a str) {
        self.whole().split_at(self.start() - self.lines().start)
    }

    /// Returns the number of the line where the function begins, below its comments and attributes.
    pub fn line(&self) -> usize {
        self.function.text[..self.start()].matches('\n').count() + 1
    }

    /// Returns the start of that line.
    fn start(&self) -> usize {
        let Item { text, code, .. } = &self.function;
        let word = outside(tokens(text, code.clone())).find(|it| it.kind == TokenKind::Word);
        start_of_line(text, word.map_or(code.start, |word| word.range.start))
    }

    /// Returns an empty line and the function's lines, to be appended to a file. A method is
    /// wrapped in a separate `impl`.
    pub(super) fn at_the_end(&self) -> String {
        match self.header {
            Some(header) => format!("\n{header} {{\n{}}}\n", self.whole()),
            None => format!("\n{}", self.whole()),
        }
    }
}

impl<'a> Item<'a> {
    /// Returns the item's outermost brackets and its tokens outside all brackets.
    fn outside(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let text = self.text;
        outside(tokens(text, self.code.clone())).map(move |token| &text[token.range])
    }

    /// Returns the same tokens as [`outside`](Self::outside), without the item's attributes.
    fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.outside().filter(|token| !["#", "!", "[", "]"].contains(token))
    }

    fn function_name(&self) -> Option<&'a str> {
        let mut after = self.outside().skip_while(|token| !["fn", "impl"].contains(token));
        after.next().filter(|token| *token == "fn")?;
        after.next()
    }

    /// Returns an `impl`'s header and the range of the `impl`'s items, or `None` for any other
    /// item.
    fn as_impl(&self) -> Option<(&'a str, Range<usize>)> {
        let first = self.outside().find(|token| ["fn", "impl"].contains(token))?;
        let inside = self.inside.clone().filter(|_| first == "impl")?;
        Some((self.text[self.code.start..inside.start - 1].trim_end(), inside))
    }

    /// Returns the range of the item's whole lines, including the comments directly above the item.
    /// An anchor doesn't count as such a comment.
    fn lines(&self) -> Range<usize> {
        let mut start = start_of_line(self.text, self.code.start);
        while start > 0 {
            let above = start_of_line(self.text, start - 1);
            let line = self.text[above..start].trim();
            if !line.starts_with("//") || line.starts_with("// ANCHOR") {
                break;
            }
            start = above;
        }
        let end = self.text[self.code.end..].find('\n');
        start..end.map_or(self.text.len(), |newline| self.code.end + newline + 1)
    }
}

/// Splits a part of a file into its items.
fn items(text: &str, range: Range<usize>) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let (mut start, mut opens) = (None, None);
    let mut tokens = outside(tokens(text, range)).peekable();
    while let Some(Token { kind, range }) = tokens.next() {
        let begun = *start.get_or_insert(range.start);
        let inside = match kind {
            TokenKind::Sign('{') => {
                opens = Some(range.end);
                continue;
            }
            TokenKind::Sign(';') => None,
            // `use a::{b, c};` and `const A: B = B {};` end after their braces.
            TokenKind::Sign('}')
                if tokens.peek().is_none_or(|next| next.kind != TokenKind::Sign(';')) =>
            {
                opens.map(|opens| opens..range.start)
            }
            _ => continue,
        };
        items.push(Item { text, code: begun..range.end, inside });
        (start, opens) = (None, None);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//! A file.

use std::{fmt, io};
use super::other;
pub use crate::one;

/// Not the one. fn one
const ONE: [u8; { 1 }] = [1; { 1 }];

/// A type {
#[derive(Debug)]
struct Pipe { fd: u8 }

impl<T: Fn() -> u8> Trait<T>
    for Pipe
{
    type One = u8;

    // ANCHOR: one
    /// Gets one.
    /// Really.
    #[must_use]
    fn one(&self) -> impl Iterator<Item = u8> {
        fn two() {}
        std::iter::once(1)
    }
    // ANCHOR_END: one
    fn three() {}
}

fn two() -> u8 { 2 } // at once
macro_rules! four { () => { fn four() {} } }
";

    fn only<'a>(name: &str) -> Found<'a> {
        let mut found = functions(TEXT);
        found.retain(|it| it.name() == name);
        assert_eq!(found.len(), 1, "{name}");
        found.remove(0)
    }

    #[test]
    fn a_method_is_found_with_its_comments_and_its_impl_and_without_anchors() {
        let one = only("one");
        assert_eq!(one.header, Some("impl<T: Fn() -> u8> Trait<T>\n    for Pipe"));
        assert!(one.whole().starts_with("    /// Gets one.\n    /// Really.\n    #[must_use]\n"));
        assert!(one.whole().ends_with("        std::iter::once(1)\n    }\n"));
        assert_eq!(only("three").whole(), "    fn three() {}\n");
    }

    #[test]
    fn a_function_begins_below_its_comments_and_attributes() {
        let (docs, code) = only("one").docs_and_code();
        assert_eq!(docs, "    /// Gets one.\n    /// Really.\n    #[must_use]\n");
        let begin = "    fn one(&self) -> impl Iterator<Item = u8> {\n";
        assert!(code.starts_with(begin), "{code}");
        assert_eq!(TEXT.lines().nth(only("one").line() - 1), Some(begin.trim_end()));
        assert_eq!(only("two").docs_and_code(), ("", only("two").whole()));
    }

    #[test]
    fn a_function_in_a_function_or_a_macro_is_not_the_files() {
        assert_eq!(only("two").whole(), "fn two() -> u8 { 2 } // at once\n");
        assert!(only("two").header.is_none());
        assert!(functions(TEXT).iter().all(|it| it.name() != "four"));
    }

    #[test]
    fn only_imports_that_mean_the_same_below_are_taken_along() {
        assert_eq!(imports(TEXT).collect::<Vec<_>>(), ["use std::{fmt, io};"]);
    }
}
