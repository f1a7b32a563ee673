//! Reads the manifests of the workbook and of the notebook.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::terminal::shown;
use crate::workbook::read;

/// Returns the names of a package's dependencies, including its dev-dependencies.
pub(crate) fn dependencies(file: &Path) -> anyhow::Result<Vec<String>> {
    let sections = ["dependencies", "dev-dependencies"];
    from_file(file, |manifest| {
        sections.into_iter().flat_map(|section| manifest.names(&[section])).collect()
    })
}

/// Returns the names of the dependencies that a workspace declares for its packages.
pub(crate) fn offered(file: &Path) -> anyhow::Result<Vec<String>> {
    from_file(file, |manifest| manifest.names(&["workspace", "dependencies"]))
}

/// Returns the layers for which a notebook uses its own pages instead of the workbook's packages.
pub(crate) fn own_layers(file: &Path) -> anyhow::Result<Vec<String>> {
    from_file(file, own_layers_in)
}

pub(super) fn own_layers_in(manifest: &Manifest<'_>) -> Vec<String> {
    let mut layers = manifest.names(&["workspace", "dependencies"]);
    layers.retain(|name| {
        // `./step01_fd/` is the same directory as `step01_fd`.
        let parts =
            manifest.path_of(name).into_iter().flat_map(|path| Path::new(path).components());
        parts.filter(|part| *part != Component::CurDir).eq(Path::new(name).components())
    });
    layers
}

/// Returns a notebook's edition. Returns `None` if the manifest doesn't name an edition.
pub(crate) fn edition(file: &Path) -> anyhow::Result<Option<u32>> {
    from_file(file, edition_in)
}

pub(super) fn edition_in(manifest: &Manifest<'_>) -> Option<u32> {
    let edition = manifest.at(&["workspace", "metadata", "workbook", "edition"])?;
    edition.as_integer()?.as_str().parse().ok()
}

/// Returns the steps and the library, in the order in which a workbook lists them.
pub(crate) fn parts(file: &Path) -> anyhow::Result<Vec<String>> {
    let parts = from_file(file, |manifest| {
        let parts = manifest.at(&["workspace", "metadata", "workbook", "parts"])?.as_array()?;
        let names = parts.iter().filter_map(|part| part.get_ref().as_str());
        Some(names.map(str::to_owned).collect())
    })?;
    parts.with_context(|| format!("{} lists no parts of the workbook", shown(file)))
}

/// Returns the directories that a workbook's manifest lists as members or excludes: its packages,
/// its separate workspaces, and directories such as `target`.
pub(crate) fn packages(file: &Path) -> anyhow::Result<Vec<PathBuf>> {
    from_file(file, |manifest| {
        let lists =
            ["members", "exclude"].map(|list| manifest.at(&["workspace", list])?.as_array());
        let named = lists.into_iter().flatten().flat_map(|list| list.iter());
        named.filter_map(|it| it.get_ref().as_str()).map(PathBuf::from).collect()
    })
}

/// Returns the description of a package.
pub(crate) fn description(file: &Path) -> anyhow::Result<String> {
    let description = from_file(file, |manifest| {
        Some(manifest.at(&["package", "description"])?.as_str()?.to_owned())
    })?;
    description.with_context(|| format!("{} has no description", shown(file)))
}

/// Parses a manifest and returns the result of `find`. If the file isn't valid TOML, fails with an
/// error that says where the mistake is.
fn from_file<T>(file: &Path, find: impl FnOnce(&Manifest<'_>) -> T) -> anyhow::Result<T> {
    let text = read(file)?;
    let manifest = Manifest::parse(&text).with_context(|| format!("parse {}", shown(file)))?;
    Ok(find(&manifest))
}

fn meaning(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(list) => {
            let list: Vec<String> = list.iter().map(|it| meaning(it.get_ref())).collect();
            format!("[{}]", list.join(", "))
        }
        DeValue::Table(table) => meaning_of_a_table(table),
    }
}

fn meaning_of_a_table(table: &DeTable<'_>) -> String {
    let entry = |(name, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        format!("{:?} = {}", name.get_ref(), meaning(value.get_ref()))
    };
    let mut entries: Vec<String> = table.iter().map(entry).collect();
    entries.sort();
    format!("{{ {} }}", entries.join(", "))
}

/// A parsed manifest, with its text, from which values can be copied exactly.
pub(super) struct Manifest<'a> {
    text: &'a str,
    table: DeTable<'a>,
}

impl<'a> Manifest<'a> {
    pub(super) fn parse(text: &'a str) -> anyhow::Result<Self> {
        let table = DeTable::parse(text)?;
        Ok(Manifest { text, table: table.into_inner() })
    }

    /// Returns the value at a key path.
    pub(super) fn at(&self, path: &[&str]) -> Option<&DeValue<'a>> {
        self.find(path).map(Spanned::get_ref)
    }

    /// Returns the range of the value at a key path.
    pub(super) fn place(&self, path: &[&str]) -> Option<Range<usize>> {
        self.find(path).map(Spanned::span)
    }

    fn find(&self, path: &[&str]) -> Option<&Spanned<DeValue<'a>>> {
        let (first, rest) = path.split_first()?;
        let mut value = self.table.get(*first)?;
        for key in rest {
            value = value.get_ref().as_table()?.get(*key)?;
        }
        Some(value)
    }

    /// Returns the path of one of the workspace's dependencies.
    pub(super) fn path_of(&self, name: &str) -> Option<&str> {
        self.at(&["workspace", "dependencies", name, "path"])?.as_str()
    }

    /// Returns a canonical text for the value at a key path, or for the whole file if the path is
    /// empty. Values that differ only in comments, spaces or the order of their keys have the same
    /// text.
    pub(super) fn meaning(&self, path: &[&str]) -> Option<String> {
        if path.is_empty() {
            return Some(meaning_of_a_table(&self.table));
        }
        self.at(path).map(meaning)
    }

    pub(super) fn names(&self, path: &[&str]) -> Vec<String> {
        self.entries(path).into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the entries of a table, each with its name and its value's text.
    pub(super) fn entries(&self, path: &[&str]) -> Vec<(String, &'a str)> {
        let table = self.at(path).and_then(DeValue::as_table);
        let entries = table.into_iter().flat_map(DeTable::iter);
        entries
            .map(|(name, value)| (name.get_ref().to_string(), &self.text[value.span()]))
            .collect()
    }

    /// Returns true if only a feature needs this dependency.
    pub(super) fn is_optional(&self, name: &str) -> bool {
        self.at(&["dependencies", name, "optional"]).and_then(DeValue::as_bool) == Some(true)
    }

    /// Returns a section's dependencies, each with its line for a page's manifest. A page has no
    /// features, so no dependency is optional.
    pub(super) fn dependency_lines(&self, section: &str) -> Vec<(String, String)> {
        let inherits = |name: &str| {
            let value = self.at(&[section, name]).and_then(DeValue::as_table);
            let mut keys = value.into_iter().flat_map(DeTable::keys).map(Spanned::get_ref);
            value.is_some() && keys.all(|key| key == "workspace" || key == "optional")
        };
        let lines = self.entries(&[section]).into_iter().map(|(name, value)| {
            let line = if inherits(&name) {
                format!("{name}.workspace = true\n")
            } else {
                format!("{name} = {}\n", value.replace(", optional = true", ""))
            };
            (name, line)
        });
        lines.collect()
    }

    /// Returns true if a test has its own `main`.
    pub(super) fn is_without_harness(&self, test: &str) -> bool {
        let tests = self.at(&["test"]).and_then(DeValue::as_array);
        tests.into_iter().flat_map(|tests| tests.iter()).any(|entry| {
            let get = |key| Some(entry.get_ref().as_table()?.get(key)?.get_ref());
            get("name").and_then(|name| name.as_str()) == Some(test)
                && get("harness").and_then(DeValue::as_bool) == Some(false)
        })
    }
}
