//! A moment, as recorded by the scene's process.

use anyhow::Context;

/// A moment in its recorded form.
#[derive(Debug)]
pub(super) struct Noted<'a> {
    pub(super) kind: &'a str,
    pub(super) what: &'a str,
    /// The lines in the scenes' files that led to the moment, innermost first.
    pub(super) lines: Vec<SourceLine<'a>>,
    fields: Vec<(&'a str, &'a str)>,
}

/// A line of a file in `experiments/scenes/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SourceLine<'a> {
    pub(super) file: &'a str,
    pub(super) line: usize,
}

impl<'a> Noted<'a> {
    /// Parses a record, which has a line for each field, with a tab after the field's name.
    pub(super) fn parse(text: &'a str) -> anyhow::Result<Self> {
        let fields: Vec<(&str, &str)> =
            text.lines().filter_map(|line| line.split_once('\t')).collect();
        let noted = Noted { kind: "", what: "", lines: vec![], fields };
        let required = |name| noted.field(name).with_context(|| format!("no {name} in {text:?}"));
        let (kind, what) = (required("kind")?, required("what")?);
        let lines = required("at")?.split_whitespace().filter_map(SourceLine::parse).collect();
        Ok(Noted { kind, what, lines, ..noted })
    }

    pub(super) fn field(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| *value)
    }

    /// Returns a field's words, or no words if the field doesn't exist.
    pub(super) fn words(&self, name: &str) -> Vec<&'a str> {
        self.field(name).unwrap_or_default().split_whitespace().collect()
    }
}

impl<'a> SourceLine<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (file, line) = text.rsplit_once(':')?;
        Some(SourceLine { file, line: line.parse().ok()? })
    }
}
