//! Creates the notebook's manifests from the workbook's own manifests.

use std::fmt::Write;

use super::layers::Layer;
use super::manifest::Manifest;

/// Returns the notebook's `Cargo.toml`, which makes the notebook a separate workspace with the
/// workbook's versions of the dependencies.
///
/// `up` is the path from the notebook to the workbook's root. `used` names the dependencies to copy
/// from the workbook, and `parts` names the packages that can have a page. The new manifest names
/// the reference for every layer.
pub(crate) fn workspace(
    root_manifest: &str,
    up: &str,
    used: &[String],
    parts: &[String],
) -> anyhow::Result<String> {
    let root = Manifest::parse(root_manifest)?;
    let mut text = format!(
        "# Your notebook. The workbook made this file and from now on changes only the layers'\n\
         # paths and the comments above them.\n\
         [workspace]\n\
         resolver = \"3\"\n\
         # All pages that exist: step01_fd and so on, asyncio, from_scratch. It's one pattern because\n\
         # cargo refuses a pattern that matches nothing.\n\
         members = [\"[asf][str][yeo]*\", \"{map}\"]\n\
         exclude = [\"{on_yours}\"]\n\
         # A bare `cargo run` here shows the map.\n\
         default-members = [\"{map}\"]\n\
         \n\
         [workspace.metadata.workbook]\n\
         edition = {edition}\n\
         \n\
         [workspace.package]\n",
        map = super::program::MAP,
        on_yours = super::on_yours::DIR,
        edition = super::fit::EDITION
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
        if let Some(path) = root.path_of(&name).filter(|_| parts.contains(&name)) {
            text += &Layer { name: &name, reference: format!("{up}/{path}") }.lines();
            continue;
        }
        let value = value.replacen("path = \"", &format!("path = \"{up}/"), 1);
        let _ = writeln!(text, "{name} = {value}");
    }
    Ok(text + LINTS + PROFILE)
}

/// The notebook's profile. Packages that the workbook also needs have the same settings as in the
/// workbook's profile, so most of them are compiled only once.
const PROFILE: &str = "
# A page is compiled after each edit, and a panic reports the page's line.
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
# While bodies are missing, much of the code is unused. When you've written all of them, delete
# the `allow`s.
[workspace.lints.rust]
dead_code = \"allow\"
unused_assignments = \"allow\"
unused_imports = \"allow\"
unused_macros = \"allow\"
unused_mut = \"allow\"
unused_variables = \"allow\"
";

/// The name of the runner's package. A page doesn't need the runner, because the page's program
/// leaves all of the runner's work to the step's own program.
pub(super) const RUNNER: &str = "runner";

/// Returns a page's `Cargo.toml`. The package consists of the reader's `src/`, the page's program
/// and the step's own tests. The manifest refers to these tests by path.
///
/// `to_the_step` is the path from the page to the step's directory. `owner` becomes part of the
/// version. All notebooks share one build directory, and cargo mistakes two packages for the same
/// package if their name, version and path in the workspace are equal.
pub(crate) fn page(
    step_manifest: &str,
    package: &str,
    tests: &[String],
    to_the_step: &str,
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
        let path = format!("{to_the_step}/tests/{test}.rs");
        let _ = write!(text, "\n[[test]]\nname = \"{test}\"\npath = \"{path}\"\n");
        if step.is_without_harness(test) {
            text.push_str("harness = false\n");
        }
    }
    let mut dependencies = step.dependency_lines("dependencies");
    dependencies.retain(|(name, _)| name != RUNNER);
    let for_tests = step.dependency_lines("dev-dependencies");
    for (section, lines) in [("dependencies", dependencies), ("dev-dependencies", for_tests)] {
        let _ = write!(text, "\n[{section}]\n");
        text.extend(lines.into_iter().map(|(_, line)| line));
    }
    Ok(text + "\n[lints]\nworkspace = true\n")
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
    fn a_page_takes_over_what_the_step_needs_but_not_the_runner() {
        let tests = ["scenes", "serve"].map(str::to_owned);
        let page = page(STEP, "step90", &tests, "../../step90", "yours").unwrap();
        for text in [
            "path = \"../../step90/tests/scenes.rs\"\nharness = false\n",
            "path = \"../../step90/tests/serve.rs\"\n\n[dependencies]",
            "[dependencies]\nlibc.workspace = true\n\n",
            "[dev-dependencies]\nrustix = { workspace = true, features = [\"net\"] }\n",
        ] {
            assert!(page.contains(text), "{text}\n{page}");
        }
    }

    #[test]
    fn a_notebook_reaches_the_layers_of_the_workbook_and_its_own() {
        let root = "[workspace.dependencies]\nlibc = \"0.2\"\nserde = \"1\"\n\
                    step01 = { path = \"step01\" }\nstep02 = { path = \"step02\" }\n";
        let used = ["libc", "step01", "step02"].map(str::to_owned);
        let made = workspace(root, "..", &used, &used[1..]).unwrap();
        assert!(made.contains("libc = \"0.2\"\n"), "{made}");
        assert!(
            made.contains("\nstep01 = { path = \"../step01\", default-features = false }\n"),
            "{made}"
        );
        assert!(!made.contains("serde"), "{made}");
        assert!(
            made.contains("\nstep02 = { path = \"../step02\", default-features = false }\n"),
            "{made}"
        );
        let edition = format!("edition = {}\n", crate::notebook::fit::EDITION);
        assert!(made.contains(&edition), "{made}");
    }
}
