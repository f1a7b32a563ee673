//! Splits Rust source into tokens, in just enough detail to find where a function ends. A brace in
//! a string, a character literal or a comment doesn't count.

use std::ops::Range;

/// A token, with its range in the text. Comments and whitespace aren't tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) range: Range<usize>,
}

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name, a keyword or a number.
    Word,
    /// A string, or a character between quotes.
    Literal,
    /// Any other character.
    Sign(char),
}

/// Returns the tokens in a range of the text.
pub(crate) fn tokens(text: &str, range: Range<usize>) -> impl Iterator<Item = Token> {
    let text = &text[..range.end];
    let mut at = range.start;
    std::iter::from_fn(move || {
        at += blank(&text[at..]);
        let (kind, length) = token(&text[at..])?;
        at += length;
        Some(Token { kind, range: at - length..at })
    })
}

/// The iterator that [`outside`] returns.
pub(crate) struct Outside<T> {
    tokens: T,
    depth: usize,
}

/// Returns the outermost brackets and the tokens outside all brackets.
pub(crate) fn outside<T: Iterator<Item = Token>>(tokens: T) -> Outside<T> {
    Outside { tokens, depth: 0 }
}

impl<T: Iterator<Item = Token>> Iterator for Outside<T> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.tokens.next()?;
            let before = self.depth;
            match token.kind {
                TokenKind::Sign('(' | '[' | '{') => self.depth += 1,
                TokenKind::Sign(')' | ']' | '}') => self.depth = before.saturating_sub(1),
                _ => (),
            }
            if before.min(self.depth) == 0 {
                return Some(token);
            }
        }
    }
}

/// Returns the length of the whitespace and the comments at the beginning of a text.
fn blank(text: &str) -> usize {
    let mut rest = text.trim_start();
    loop {
        rest = if rest.starts_with("//") {
            rest.find('\n').map_or("", |end| &rest[end..])
        } else if rest.starts_with("/*") {
            &rest[block_comment(rest)..]
        } else {
            return text.len() - rest.len();
        };
        rest = rest.trim_start();
    }
}

/// Returns the length of a block comment, which can contain other block comments.
fn block_comment(text: &str) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        let Some(next) = text[at..].find(['/', '*']) else { return text.len() };
        at += next;
        let (length, deeper) = match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += length;
        depth += deeper;
    }
    at
}

/// Returns the kind and the length of a text's first token.
fn token(text: &str) -> Option<(TokenKind, usize)> {
    let first = text.chars().next()?;
    if let Some(length) = raw_string(text) {
        return Some((TokenKind::Literal, length));
    }
    let word = text.find(|char: char| !is_of_a_word(char)).unwrap_or(text.len());
    Some(match first {
        '"' => (TokenKind::Literal, quoted(text, '"')),
        '\'' if is_a_character(text) => (TokenKind::Literal, quoted(text, '\'')),
        _ if word > 0 => (TokenKind::Word, word),
        other => (TokenKind::Sign(other), other.len_utf8()),
    })
}

fn is_of_a_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns the length of a raw string such as `r#"…"#`, if `text` begins with a raw string.
fn raw_string(text: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        let after = text.strip_prefix(prefix);
        after.is_some_and(|after| after.trim_start_matches('#').starts_with('"'))
    })?;
    let after = &text[prefix.len()..];
    let hashes = &after[..after.len() - after.trim_start_matches('#').len()];
    let begin = prefix.len() + hashes.len() + 1;
    let closing = format!("\"{hashes}");
    let end = text[begin..].find(&closing);
    Some(end.map_or(text.len(), |end| begin + end + closing.len()))
}

/// Returns the length of a literal that begins with a quote. In the literal, a backslash escapes
/// the next character.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return at + 1,
            _ => (),
        }
    }
    text.len()
}

/// Returns true for a character such as `'a'` or `'\n'` and false for a lifetime such as `'a`.
fn is_a_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_and_signs(text: &str) -> Vec<&str> {
        let code = tokens(text, 0..text.len()).filter(|token| token.kind != TokenKind::Literal);
        code.map(|token| &text[token.range]).collect()
    }

    #[test]
    fn braces_in_comments_strings_and_characters_are_none_of_the_code() {
        for text in [
            "{ a } // }\n",
            "{ /* } /* } */ } */ a }",
            "{ \"}\" a }",
            "{ \"\\\"}\" a }",
            "{ r\"}\\\" a }",
            "{ r##\"}\"#}\"## a }",
            "{ b'}' a }",
            "{ '}' a }",
            "{ '\\'' a '}' }",
            "{ a 'ä' }",
        ] {
            let code = words_and_signs(text);
            let code: Vec<&str> = code.into_iter().filter(|word| *word != "b").collect();
            assert_eq!(code, ["{", "a", "}"], "{text}");
        }
    }

    #[test]
    fn a_lifetime_and_a_raw_name_are_no_literals() {
        assert_eq!(words_and_signs("<'a> r#fn"), ["<", "'", "a", ">", "r", "#", "fn"]);
    }

    #[test]
    fn what_does_not_end_goes_to_the_end() {
        for text in ["\"a } ", "r#\"a } \"", "/* a } ", "'\\"] {
            assert_eq!(words_and_signs(text), [""; 0], "{text}");
        }
    }
}
