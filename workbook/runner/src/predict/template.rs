//! Templates: the format strings of a scene's lines. Held against a line of the transcript, a template
//! says which part of it is fixed, and which parts are values that a reader can predict.

/// A format string, such as `level: {:<9} edge: {}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A place for a value, with the value's name if it has one.
    Hole(String),
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Fixed text.
    Text(String),
    /// A value, padded as in the line, and its name in the template.
    Value(String, String),
}

impl Template {
    /// Reads a format string of one line.
    pub(crate) fn parse(format: &str) -> Template {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = format;
        while let Some(at) = rest.find(['{', '}']) {
            text += &rest[..at];
            let sign = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix(sign) {
                text += sign;
                rest = after;
            } else if let Some((hole, after)) = after.split_once('}').filter(|_| sign == "{") {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                let name = hole.split(':').next().unwrap_or_default();
                pieces.push(Piece::Hole(name.to_owned()));
                rest = after;
            } else {
                text += sign;
                rest = after;
            }
        }
        text += rest;
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Template { pieces }
    }

    /// Returns the number of letters and signs that are fixed. Of two templates that fit a line, the
    /// one with more of them made it.
    pub(crate) fn fixed(&self) -> usize {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text),
            Piece::Hole(_) => None,
        });
        texts.flat_map(|text| text.chars()).filter(|char| !char.is_whitespace()).count()
    }

    /// Returns the template with `____` for each value.
    pub(crate) fn with_blanks(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Hole(_) => BLANK,
        });
        pieces.collect::<String>().trim().to_owned()
    }

    /// Splits a line that this template can have made.
    pub(crate) fn split(&self, line: &str) -> Option<Vec<Part>> {
        split(&self.pieces, line)
    }
}

/// What stands for a value to predict.
pub(crate) const BLANK: &str = "____";

fn split(pieces: &[Piece], line: &str) -> Option<Vec<Part>> {
    match pieces {
        [] => line.is_empty().then(Vec::new),
        [Piece::Text(text), others @ ..] => {
            // The transcript's last spaces aren't kept.
            let rest = line
                .strip_prefix(text.as_str())
                .or_else(|| (others.is_empty() && line == text.trim_end()).then_some(""))?;
            let mut parts = split(others, rest)?;
            parts.insert(0, Part::Text(text.clone()));
            Some(parts)
        }
        [Piece::Hole(name), others @ ..] => {
            let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            let fits = ends.filter_map(|end| Some((end, split(others, &line[end..])?)));
            let fits: Vec<(usize, Vec<Part>)> = fits.collect();
            let (end, mut parts) = first_with_words(line, fits)?;
            parts.insert(0, Part::Value(line[..end].to_owned(), name.clone()));
            Some(parts)
        }
    }
}

/// Chooses the shortest value that isn't only spaces, if there's one.
fn first_with_words(line: &str, fits: Vec<(usize, Vec<Part>)>) -> Option<(usize, Vec<Part>)> {
    let mut fits = fits.into_iter();
    let first = fits.next()?;
    if !line[..first.0].trim().is_empty() {
        return Some(first);
    }
    Some(fits.find(|(end, _)| !line[..*end].trim().is_empty()).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(format: &str, line: &str) -> Option<Vec<String>> {
        let parts = Template::parse(format).split(line)?;
        let values = parts.into_iter().filter_map(|part| match part {
            Part::Value(value, _) => Some(value.trim().to_owned()),
            Part::Text(_) => None,
        });
        Some(values.collect())
    }

    #[test]
    fn the_values_of_a_line_are_found_with_their_padding() {
        let format = "{when:<23} level: {:<9} edge: {}";
        let line = "you wait again          level: readable  edge: nothing";
        assert_eq!(values(format, line).unwrap(), ["you wait again", "readable", "nothing"]);
        assert_eq!(values("{}: {}", "a: b: c").unwrap(), ["a", "b: c"]);
        assert_eq!(values("poll {n}{rest}", "poll 1").unwrap(), ["1", ""]);
    }

    #[test]
    fn a_line_of_another_template_does_not_fit() {
        assert_eq!(values("one {}", "two 2"), None);
        assert_eq!(values("one {} more", "one 1"), None);
        assert_eq!(values("one", "one 1"), None);
    }

    #[test]
    fn doubled_braces_are_text() {
        assert_eq!(Template::parse("{{{x}}} {:?}").with_blanks(), "{____} ____");
    }
}
