//! The lines to choose from where their order is the question: those that the scene prints, and
//! those that its code would print if it went otherwise.

use std::collections::BTreeSet;

use super::sheet::BLANK;

/// Lists the printed lines and those that the code could print, with a blank for each value. They're
/// sorted, because their order mustn't tell anything.
///
/// If a format names what it's about, as `{who} begins` does, there's a line for each that any
/// format with this name has printed: otherwise the list would tell which of them are printed at
/// all.
pub(super) fn possible_lines(code: &str, printed: &[&str]) -> BTreeSet<String> {
    let printed: Vec<&str> = printed.iter().map(|line| line.trim()).collect();
    let calls = code.split("say!(").skip(1).filter_map(|call| call.split('"').nth(1));
    let formats: Vec<Format<'_>> = calls.filter_map(Format::of).collect();
    let mut lines: BTreeSet<String> = printed.iter().map(|&line| line.to_owned()).collect();
    for format in &formats {
        let Some((before, name, after)) = &format.about else {
            lines.insert(format.line.clone());
            continue;
        };
        let same = formats.iter().filter(|it| it.named() == Some(name));
        let names = same.flat_map(|it| printed.iter().filter_map(|line| it.name_in(line)));
        lines.extend(names.map(|name| format!("{before}{name}{after}")));
    }
    lines
}

/// What a `say!` prints, with a blank for each value.
struct Format<'a> {
    line: String,
    /// What it's about, between the text before and after its name.
    about: Option<(String, &'a str, String)>,
}

impl<'a> Format<'a> {
    /// Returns `None` if there are several names in it.
    fn of(format: &'a str) -> Option<Self> {
        let mut pieces = format.trim().split('{');
        let mut line = pieces.next()?.to_owned();
        let mut named = None;
        for piece in pieces {
            let (value, text) = piece.split_once('}')?;
            if value.is_empty() || value.starts_with(':') {
                line += BLANK;
            } else if named.replace((line.len(), value)).is_some() || value.contains(':') {
                return None;
            }
            line += text;
        }
        let about = named.map(|(at, name)| (line[..at].to_owned(), name, line[at..].to_owned()));
        Some(Format { line, about })
    }

    fn named(&self) -> Option<&'a str> {
        self.about.as_ref().map(|(_, name, _)| *name)
    }

    /// Returns what a printed line is about, if it's of this format.
    fn name_in<'b>(&self, line: &'b str) -> Option<&'b str> {
        let (before, _, after) = self.about.as_ref()?;
        let is_only_a_name = before.is_empty() && after.is_empty();
        let name = line.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
        (!is_only_a_name && !name.contains([' ', ':', '='])).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_what_the_code_would_print_if_it_went_otherwise() {
        let code = "say!(t, \"you begin\"); say!(t, \"an error: {:?}\", it);";
        let lines = possible_lines(code, &["you begin", "  you end"]);
        assert_eq!(Vec::from_iter(lines), ["an error: ____", "you begin", "you end"]);
    }

    #[test]
    fn the_list_does_not_tell_which_of_several_named_lines_are_printed() {
        let code =
            "say!(t, \"{who} begins\"); say!(t, \"{who}: got {}\", it); say!(t, \"{a} and {b}\");";
        let lines = possible_lines(code, &["A begins", "B begins"]);
        assert_eq!(Vec::from_iter(lines), ["A begins", "A: got ____", "B begins", "B: got ____"]);
    }
}
