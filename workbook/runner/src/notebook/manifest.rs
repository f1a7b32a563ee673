//! Makes the manifests of the notebook from the workbook's own.

use std::fmt::Write;

use anyhow::Context;
use toml::de::{DeTable, DeValue};

/// Makes the notebook's `Cargo.toml`: a separate workspace, with the same versions as the
/// workbook's.
///
/// `up` is the path from the notebook to the workbook's root. `used` names the dependencies to copy
/// from the workbook, and `own` the layers to take from the reader's pages.
pub(crate) fn workspace(
    root_manifest: &str,
    up: &str,
    used: &[String],
    own: &[String],
) -> anyhow::Result<String> {
    let root = Manifest::parse(root_manifest)?;
    let mut text = format!(
        "# Your notebook. The workbook made this file, and won't touch it again.\n\
         [workspace]\n\
         resolver = \"3\"\n\
         members = [\"step*\"]\n\
         \n\
         [workspace.metadata.workbook]\n\
         edition = {}\n\
         \n\
         [workspace.package]\n",
        super::edition::CURRENT
    );
    for (name, value) in root.entries(&["workspace", "package"]) {
        if name == "edition" || name == "rust-version" {
            let _ = writeln!(text, "{name} = {value}");
        }
    }
    text.push_str("\n[workspace.dependencies]\n");
    for (name, value) in root.entries(&["workspace", "dependencies"]) {
        if !used.contains(&name) {
            continue;
        }
        let theirs = value.replacen("path = \"", &format!("path = \"{up}/"), 1);
        let yours = format!("{{ path = \"{name}\" }}");
        if own.contains(&name) {
            let _ = writeln!(text, "{name} = {yours}");
            continue;
        }
        if name.starts_with("step") {
            let _ = writeln!(text, "# Your own layer instead: {name} = {yours}");
        }
        let _ = writeln!(text, "{name} = {theirs}");
    }
    Ok(text + LINTS + PROFILE)
}

/// The notebook's profile. Packages that the workbook also needs have the same settings as in its
/// own profile, so that they're compiled only once.
const PROFILE: &str = "
# A page is compiled after each edit; a panic in it names its line.
[profile.dev]
debug = \"line-tables-only\"
incremental = true

[profile.dev.package.\"*\"]
debug = false

[profile.dev.package.scene]
debug = false
codegen-units = 4

[profile.dev.package.kit]
debug = false
codegen-units = 4
";

const LINTS: &str = "
# While bodies are missing, much is unused. When you've written them all, try without.
[workspace.lints.rust]
dead_code = \"allow\"
unused_assignments = \"allow\"
unused_imports = \"allow\"
unused_macros = \"allow\"
unused_mut = \"allow\"
unused_variables = \"allow\"
";

/// The runner's package. A page needs it only for its tests, because the page's program starts the
/// step's own program for everything that needs the runner.
const RUNNER: &str = "runner";

/// Makes a page's `Cargo.toml`: the reader's `src/`, with the step's own tests by path.
///
/// `owner` becomes part of the version. All notebooks share one build directory, and cargo mistakes
/// two packages for the same one if their name, version and path in the workspace are equal.
pub(crate) fn page(
    step_manifest: &str,
    package: &str,
    tests: &[String],
    up: &str,
    owner: &str,
) -> anyhow::Result<String> {
    let step = Manifest::parse(step_manifest)?;
    let mut text = format!(
        "# Your page of {package}: `src/` is yours; the scenes and the tests are the step's own.\n\
         [package]\n\
         name = \"{package}\"\n\
         # Not the step's version: a page can depend on pages and on steps, and cargo has to tell \
         them apart.\n\
         version = \"0.1.0-{owner}\"\n\
         edition.workspace = true\n\
         rust-version.workspace = true\n\
         publish = false\n\
         \n\
         [[bin]]\n\
         name = \"{package}\"\n\
         path = \"main.rs\"\n"
    );
    for test in tests {
        let path = format!("../{up}/{package}/tests/{test}.rs");
        let _ = write!(text, "\n[[test]]\nname = \"{test}\"\npath = \"{path}\"\n");
        if step.is_without_harness(test) {
            text.push_str("harness = false\n");
        }
    }
    let mut dependencies = step.dependency_lines("dependencies");
    let runner = dependencies.extract_if(.., |(name, _)| name == RUNNER);
    let for_tests = [runner.collect(), step.dependency_lines("dev-dependencies")].concat();
    for (section, lines) in [("dependencies", dependencies), ("dev-dependencies", for_tests)] {
        let _ = write!(text, "\n[{section}]\n");
        text.extend(lines.into_iter().map(|(_, line)| line));
    }
    Ok(text + "\n[lints]\nworkspace = true\n")
}

/// Returns the dependencies that a package names, for its program or for its tests.
pub(crate) fn dependencies(manifest: &str) -> anyhow::Result<Vec<String>> {
    let manifest = Manifest::parse(manifest)?;
    let sections = ["dependencies", "dev-dependencies"];
    Ok(sections.into_iter().flat_map(|section| manifest.names(&[section])).collect())
}

/// Returns the dependencies that a workspace offers to its packages.
pub(crate) fn offered(manifest: &str) -> anyhow::Result<Vec<String>> {
    Ok(Manifest::parse(manifest)?.names(&["workspace", "dependencies"]))
}

/// Returns the layers that a notebook takes from its own pages instead of from the workbook.
pub(crate) fn own_layers(manifest: &str) -> anyhow::Result<Vec<String>> {
    let manifest = Manifest::parse(manifest)?;
    let mut layers = manifest.names(&["workspace", "dependencies"]);
    layers.retain(|name| {
        let path = manifest.at(&["workspace", "dependencies", name, "path"]);
        path.and_then(|path| path.as_str()) == Some(name)
    });
    Ok(layers)
}

/// Returns the edition that made a notebook, if its manifest contains the number.
pub(crate) fn edition(manifest: &str) -> anyhow::Result<Option<u32>> {
    let manifest = Manifest::parse(manifest)?;
    let edition = manifest.at(&["workspace", "metadata", "workbook", "edition"]);
    Ok(edition.and_then(|edition| edition.as_integer()?.as_str().parse().ok()))
}

/// Returns the description of a package.
pub(crate) fn description(manifest: &str) -> anyhow::Result<String> {
    let manifest = Manifest::parse(manifest)?;
    let description = manifest.at(&["package", "description"]).and_then(|value| value.as_str());
    Ok(description.context("a package without a description")?.to_owned())
}

/// A parsed manifest. Values are copied from its text exactly as they're written there.
struct Manifest<'a> {
    text: &'a str,
    table: DeTable<'a>,
}

impl<'a> Manifest<'a> {
    fn parse(text: &'a str) -> anyhow::Result<Self> {
        let table = DeTable::parse(text).context("parse a Cargo.toml")?;
        Ok(Manifest { text, table: table.into_inner() })
    }

    /// Returns the value at a path of keys.
    fn at(&self, path: &[&str]) -> Option<&DeValue<'a>> {
        let (first, rest) = path.split_first()?;
        let mut value = self.table.get(*first)?.get_ref();
        for key in rest {
            value = value.as_table()?.get(*key)?.get_ref();
        }
        Some(value)
    }

    fn names(&self, path: &[&str]) -> Vec<String> {
        self.entries(path).into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the entries of a table, each name with its value's text.
    fn entries(&self, path: &[&str]) -> Vec<(String, &'a str)> {
        let table = self.at(path).and_then(DeValue::as_table);
        let entries = table.into_iter().flat_map(DeTable::iter);
        entries
            .map(|(name, value)| (name.get_ref().to_string(), &self.text[value.span()]))
            .collect()
    }

    /// Returns the dependencies of a section, each with its line for a page's manifest.
    fn dependency_lines(&self, section: &str) -> Vec<(String, String)> {
        let inherits = |name: &str| {
            let value = self.at(&[section, name]).and_then(DeValue::as_table);
            value.is_some_and(|value| value.len() == 1 && value.contains_key("workspace"))
        };
        let lines = self.entries(&[section]).into_iter().map(|(name, value)| {
            let inherits = inherits(&name);
            let line = if inherits {
                format!("{name}.workspace = true\n")
            } else {
                format!("{name} = {value}\n")
            };
            (name, line)
        });
        lines.collect()
    }

    /// Returns true if a test brings its own `main`.
    fn is_without_harness(&self, test: &str) -> bool {
        let tests = self.at(&["test"]).and_then(DeValue::as_array);
        tests.into_iter().flat_map(|tests| tests.iter()).any(|entry| {
            let get = |key| Some(entry.get_ref().as_table()?.get(key)?.get_ref());
            get("name").and_then(|name| name.as_str()) == Some(test)
                && get("harness").and_then(DeValue::as_bool) == Some(false)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: &str = "\
[package]
description = \"Step 90: a fixture\"

[[test]]
name = \"scenes\"
harness = false

[dependencies]
libc.workspace = true
runner = { workspace = true }

[dev-dependencies]
rustix = { workspace = true, features = [\"net\"] }
";

    #[test]
    fn a_page_takes_over_what_the_step_needs_and_the_runner_for_its_tests() {
        let tests = ["scenes", "serve"].map(str::to_owned);
        let page = page(STEP, "step90", &tests, "..", "yours").unwrap();
        for text in [
            "path = \"../../step90/tests/scenes.rs\"\nharness = false\n",
            "path = \"../../step90/tests/serve.rs\"\n\n[dependencies]",
            "[dependencies]\nlibc.workspace = true\n\n",
            "[dev-dependencies]\nrunner.workspace = true\nrustix = { workspace = true, features = [\"net\"] }\n",
        ] {
            assert!(page.contains(text), "{text}\n{page}");
        }
    }

    #[test]
    fn a_notebook_reaches_the_layers_of_the_workbook_and_its_own() {
        let root = "[workspace.dependencies]\nlibc = \"0.2\"\nserde = \"1\"\n\
                    step01 = { path = \"step01\" }\nstep02 = { path = \"step02\" }\n";
        let used = ["libc", "step01", "step02"].map(str::to_owned);
        let made = workspace(root, "..", &used, &["step02".to_owned()]).unwrap();
        assert!(made.contains("libc = \"0.2\"\n"), "{made}");
        assert!(made.contains("\nstep01 = { path = \"../step01\" }\n"), "{made}");
        assert!(!made.contains("serde"), "{made}");
        assert_eq!(own_layers(&made).unwrap(), ["step02"]);
        assert_eq!(edition(&made).unwrap(), Some(super::super::edition::CURRENT));
    }
}
