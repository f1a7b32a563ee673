//! The fields of a TOML table. Reading a field removes it from the table, so any field that's left
//! at the end is a mistake.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail, ensure};
use toml::de::{DeTable, DeValue};

/// The fields of a table that haven't been taken yet.
pub struct Fields<'a>(DeTable<'a>);

impl<'a> Fields<'a> {
    /// Parses a whole file as a table.
    pub fn of(text: &'a str) -> anyhow::Result<Fields<'a>> {
        let table = DeTable::parse(text).map_err(|error| {
            let begin = error.span().map_or(0, |span| span.start);
            let line = text[..begin].matches('\n').count() + 1;
            anyhow!("line {line}: {}", error.message())
        })?;
        Ok(Fields(table.into_inner()))
    }

    fn take(&mut self, name: &str) -> Option<DeValue<'a>> {
        self.0.remove(name).map(toml::Spanned::into_inner)
    }

    /// Takes a string and returns it unchanged, except that `\r\n` becomes `\n`.
    pub fn text(&mut self, name: &str) -> anyhow::Result<String> {
        match self.take(name).with_context(|| format!("`{name}` is missing"))? {
            DeValue::String(text) if text.trim().is_empty() => bail!("`{name}` is empty"),
            // Undo any change that git or an editor has made to the text's line endings.
            DeValue::String(text) => Ok(text.replace("\r\n", "\n")),
            _ => bail!("`{name}` isn't a string"),
        }
    }

    /// Takes a string that may be wrapped and joins its lines.
    pub fn prose(&mut self, name: &str) -> anyhow::Result<String> {
        let text = self.text(name)?;
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Takes a number. `most` has to be the largest number of this type; an error names it as the
    /// limit.
    pub fn number<N: FromStr + Display>(&mut self, name: &str, most: N) -> anyhow::Result<N> {
        let value = self.take(name).with_context(|| format!("`{name}` is missing"))?;
        let number = value.as_integer().and_then(|number| number.as_str().parse().ok());
        number.with_context(|| format!("`{name}` isn't a whole number from 0 to {most}"))
    }

    /// Takes `true` or `false`.
    pub fn flag(&mut self, name: &str) -> anyhow::Result<bool> {
        let value = self.take(name).with_context(|| format!("`{name}` is missing"))?;
        value.as_bool().with_context(|| format!("`{name}` isn't true or false"))
    }

    /// Takes a list of names.
    pub fn names(&mut self, name: &str) -> anyhow::Result<Vec<String>> {
        let value = self.take(name).with_context(|| format!("`{name}` is missing"))?;
        let list = value.as_array().and_then(|list| {
            list.iter().map(|name| Some(name.get_ref().as_str()?.to_owned())).collect()
        });
        list.with_context(|| format!("`{name}` isn't a list of names"))
    }

    /// Takes a field by calling `take`, or returns `None` if the field is missing.
    pub fn optional<T>(
        &mut self,
        name: &str,
        take: impl FnOnce(&mut Self, &str) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        if self.0.contains_key(name) { take(self, name).map(Some) } else { Ok(None) }
    }

    /// Takes the tables of `[[name]]` and reads each table with `read`, which has to take all of
    /// the table's fields.
    pub fn tables<T>(
        &mut self,
        name: &str,
        read: impl Fn(&mut Fields<'a>) -> anyhow::Result<T>,
    ) -> anyhow::Result<Vec<T>> {
        let list = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(DeValue::Array(list)) => list,
            Some(_) => bail!("`{name}` isn't [[{name}]]"),
        };
        let tables = list.into_iter().zip(1..).map(|(value, position): (_, u32)| {
            let DeValue::Table(table) = value.into_inner() else { bail!("`{name}` isn't a table") };
            let mut fields = Fields(table);
            let label = fields.own_number().unwrap_or_else(|| position.to_string());
            let read = read(&mut fields).and_then(|it| fields.end().map(|()| it));
            read.with_context(|| format!("{name} {label}"))
        });
        tables.collect()
    }

    /// Ignores the remaining fields, for a file that other code also reads.
    pub fn ignore_the_rest(&mut self) {
        self.0.clear();
    }

    /// Returns the table's number, such as `2.3`, for an error message. The number stays in the
    /// table.
    fn own_number(&self) -> Option<String> {
        Some(self.0.get("number")?.get_ref().as_str()?.to_owned())
    }

    /// Fails if any field is left.
    pub fn end(&self) -> anyhow::Result<()> {
        let left = self.0.keys().next();
        ensure!(left.is_none(), "unknown field `{}`", left.map_or("", |name| name.get_ref()));
        Ok(())
    }
}
