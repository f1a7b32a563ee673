//! A command line that cannot be understood, and the nearest one that can.

use std::error::Error;
use std::fmt;

/// What is wrong with the command line. The exit code is 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Usage {}

impl Usage {
    /// A name that nothing has: the nearest, and all there are.
    pub(crate) fn unknown<'a>(
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Usage {
        let mut text = format!("there is no {what} `{name}`");
        match nearest(name, known.clone()) {
            Some(nearest) => text += &format!("; did you mean `{nearest}`?"),
            None => text += ".",
        }
        let all: Vec<&str> = known.collect();
        text += &match all.as_slice() {
            [] => format!("\nThere is none yet: no {what} at all."),
            all => format!("\nKnown: {}", all.join("\n       ")),
        };
        Usage(text)
    }
}

/// The name most like another, if any is like it at all.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(name, other);
    let rated = known.map(|other| (likeness(other), other));
    let best = rated.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness > 0.4).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        let known = ["lowest_free_descriptor", "end_of_file"];
        let near = |name| nearest(name, known.iter().copied());
        assert_eq!(near("lowest_free_nubmer"), Some("lowest_free_descriptor"));
        assert_eq!(near("end_of_flie"), Some("end_of_file"));
        assert_eq!(near("zzz"), None);
    }
}
