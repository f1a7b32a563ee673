//! The manifests of the notebook, made from the workbook's own.
//!
//! They are written by rustfmt's like: a section a bracket, a dependency a line. That is all the
//! TOML this has to understand.

use std::fmt::Write;

/// The notebook's `Cargo.toml`: a workspace of its own, with the versions of the workbook's.
///
/// `up` leads from the notebook to the workbook's root. Of the dependencies, those in `used` are
/// taken over.
pub(crate) fn workspace(root_manifest: &str, up: &str, used: &[String]) -> String {
    let mut text = String::from(WORKSPACE);
    for line in section(root_manifest, "workspace.package") {
        if line.starts_with("edition") || line.starts_with("rust-version") {
            let _ = writeln!(text, "{line}");
        }
    }
    text.push_str("\n[workspace.dependencies]\n");
    for line in section(root_manifest, "workspace.dependencies") {
        let Some(name) = key(line).filter(|name| used.iter().any(|other| other == name)) else {
            continue;
        };
        let line = line.replace("path = \"", &format!("path = \"{up}/"));
        let _ = if name.starts_with("step") {
            writeln!(text, "# Your own layer instead: {name} = {{ path = \"{name}\" }}\n{line}")
        } else {
            writeln!(text, "{line}")
        };
    }
    text.push_str(LINTS);
    text + PROFILE
}

const WORKSPACE: &str = "\
# Your notebook. The workbook made this file, and will not touch it again.
[workspace]
resolver = \"3\"
members = [\"step*\"]

[workspace.package]
";

/// Of the packages that are compiled for the workbook too it says the same, so that they need not be
/// compiled again.
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

const RUNNER: &str = "runner";

const LINTS: &str = "
# While bodies are missing, much is unused. When you have written them all, try without.
[workspace.lints.rust]
dead_code = \"allow\"
unused_assignments = \"allow\"
unused_imports = \"allow\"
unused_macros = \"allow\"
unused_mut = \"allow\"
unused_variables = \"allow\"
";

/// A page's `Cargo.toml`: the reader's `src/`, with the step's own program and tests by path.
///
/// `whose` makes the version. To cargo two packages of one name and version, at the same place in
/// their workspaces, are one package; and all notebooks share what is compiled.
pub(crate) fn page(
    step_manifest: &str,
    package: &str,
    tests: &[String],
    up: &str,
    whose: &str,
) -> String {
    let step = format!("../{up}/{package}");
    let mut text = format!(
        "# Your page of {package}: `src/` is yours; the program and the tests are the step's own.\n\
         [package]\n\
         name = \"{package}\"\n\
         # Not the step's version: a page may depend on pages and on steps, and cargo has to tell \
         them apart.\n\
         version = \"0.1.0-{whose}\"\n\
         edition.workspace = true\n\
         rust-version.workspace = true\n\
         publish = false\n\
         \n\
         [[bin]]\n\
         name = \"{package}\"\n\
         path = \"main.rs\"\n"
    );
    for test in tests {
        let name = test.trim_end_matches(".rs");
        let _ = write!(text, "\n[[test]]\nname = \"{name}\"\npath = \"{step}/tests/{test}\"\n");
    }
    for name in ["features", "dependencies", "dev-dependencies"] {
        // A page's program only plays scenes; its tests need the runner.
        let is_runner = |line: &&str| key(line) == Some(RUNNER);
        let mut lines: Vec<&str> = section(step_manifest, name).collect();
        if name == "dependencies" {
            lines.retain(|line| !is_runner(line));
        } else if name == "dev-dependencies" {
            lines.extend(section(step_manifest, "dependencies").filter(is_runner));
        }
        if !lines.is_empty() {
            let _ = write!(text, "\n[{name}]\n{}\n", lines.join("\n"));
        }
    }
    text + "\n[lints]\nworkspace = true\n"
}

/// The dependencies a package names, for running or for its tests.
pub(crate) fn dependencies(manifest: &str) -> Vec<String> {
    ["dependencies", "dev-dependencies"]
        .into_iter()
        .flat_map(|name| section(manifest, name))
        .filter_map(|line| key(line).map(str::to_owned))
        .collect()
}

/// The dependencies a workspace offers.
pub(crate) fn offered(manifest: &str) -> Vec<String> {
    section(manifest, "workspace.dependencies")
        .filter_map(|line| key(line).map(str::to_owned))
        .collect()
}

/// The description of a package.
pub fn description(manifest: &str) -> Option<&str> {
    let line = section(manifest, "package").find(|line| key(line) == Some("description"))?;
    line.split_once('"')?.1.rsplit_once('"').map(|(text, _)| text)
}

/// The lines of a section that say something.
fn section<'a>(manifest: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let header = format!("[{name}]");
    manifest
        .lines()
        .map(str::trim_end)
        .skip_while(move |line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// `libc` in `libc = "0.2"` and in `libc.workspace = true`.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    key.split('.').next().map(str::trim)
}

/// A page's program: the step's scenes and server, on the reader's layer.
pub(crate) fn program(package: &str, has_server: bool, up: &str) -> String {
    let scenes = format!("../{up}/{package}/src/scenes/mod.rs");
    let serve = if has_server {
        format!("Some(|port| Ok({package}::serve(port)?))")
    } else {
        "None".to_owned()
    };
    format!(
        "//! Plays the step's scenes on your layer. The workbook made this file.\n\
         \n\
         #[path = \"{scenes}\"]\n\
         mod scenes;\n\
         \n\
         fn main() -> std::process::ExitCode {{\n    \
             scene::main(&scene::Page {{\n        \
                 package: env!(\"CARGO_PKG_NAME\"),\n        \
                 manifest_dir: env!(\"CARGO_MANIFEST_DIR\"),\n        \
                 scenes: scenes::SCENES,\n        \
                 serve: {serve},\n    \
             }})\n\
         }}\n"
    )
}
