//! The workbook's programs on the reader's layers: the web server, the broken servers, the
//! examples, and the programs in the ecosystem's folder.
//!
//! Each program gets a package in the notebook. The package refers to the program's own sources by
//! path and depends on the layers that the notebook's manifest names. The package is a separate
//! workspace, because the ecosystem is a separate workspace, too, and because the pages should
//! compile without these programs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::manifest::{self, Manifest};
use super::{Notebook, on_yours};
use crate::workbook::{file_names, read, without_dots, write, write_if_different};

/// The notebook's directory for the programs' packages.
pub(super) const DIR: &str = ".programs";

/// A package with one of the workbook's programs on the reader's layers.
#[derive(Debug)]
pub struct OnYours {
    /// The package's manifest.
    pub manifest: PathBuf,
    /// The reader's layers under the program, including the library if it's the reader's.
    pub yours: Vec<String>,
    /// The reference's layers under the program, including the library if it's the reference's.
    pub references: Vec<String>,
}

impl Notebook {
    /// Creates the package for one of the workbook's programs.
    pub fn program_on_yours(&self, package: &str) -> anyhow::Result<OnYours> {
        let source = self.workbook.step(package);
        let file = source.join("Cargo.toml");
        if !file.is_file() {
            bail!("the workbook has no package {package}");
        }
        let (text, root) = (read(&file)?, read(&self.workbook.root.join("Cargo.toml"))?);
        let (program, root) = (Manifest::parse(&text)?, Manifest::parse(&root)?);
        let is_a_workspace = program.at(&["workspace"]).is_some();
        let (workspace, home) =
            if is_a_workspace { (&program, &source) } else { (&root, &self.workbook.root) };
        let is_a_part = self.workbook.steps()?.iter().any(|part| part == package);

        let mut made = format!(
            "# The workbook's {package}, on your layers. The workbook makes this file.\n\
             [workspace]\nresolver = \"3\"\n\n\
             [package]\nname = \"{package}{}\"\nversion = \"0.1.0-on-yours\"\nedition = \"2024\"\n\
             publish = false\nautoexamples = false\n",
            // A layer's own programs need a separate package, because they aren't part of the
            // layer.
            if is_a_part { "_programs" } else { "" }
        );
        made += &targets(&source, !is_a_part)?;
        let mut named = BTreeSet::new();
        for section in ["dependencies", "dev-dependencies"] {
            let _ = write!(made, "\n[{section}]\n");
            let mut lines = program.dependency_lines(section);
            lines.retain(|(name, _)| section != "dependencies" || !program.is_optional(name));
            if is_a_part && section == "dependencies" {
                lines.push((package.to_owned(), format!("{package}.workspace = true\n")));
            }
            for (name, line) in lines {
                made += &line;
                named.insert(name);
            }
        }
        made += "\n[workspace.dependencies]\n";
        let mut used = self.layers()?;
        for (name, value) in workspace.entries(&["workspace", "dependencies"]) {
            if !named.contains(&name) {
                continue;
            }
            let value = match workspace.path_of(&name) {
                None => value.to_owned(),
                Some(path) if self.workbook.steps()?.contains(&name) => {
                    let layer = self.part_for_programs(&name)?;
                    if !used.contains(&name) {
                        used.push(name.clone());
                    }
                    value.replacen(path, &layer.display().to_string(), 1)
                }
                // This is another program's library, which has to be built on the same layers.
                Some(path) if self.stands_on_layers(&home.join(path))? => {
                    let other = self.program_on_yours(&name)?;
                    let directory = other.manifest.parent().unwrap_or(&other.manifest).to_owned();
                    value.replacen(path, &directory.display().to_string(), 1)
                }
                Some(path) => {
                    value.replacen(path, &without_dots(&home.join(path)).display().to_string(), 1)
                }
            };
            let _ = writeln!(made, "{name} = {value}");
        }
        made += "\n[profile.dev]\ndebug = false\n";

        let manifest = self.make_package(package, &made, home)?;
        let (mut yours, mut references) = (Vec::new(), Vec::new());
        for part in used {
            if self.is_yours(&part)? { &mut yours } else { &mut references }.push(part);
        }
        Ok(OnYours { manifest, yours, references })
    }

    /// Creates a program's package from its manifest's text. `home` is the directory of the
    /// program's workspace. Returns the path of the manifest.
    pub(super) fn make_package(
        &self,
        package: &str,
        made: &str,
        home: &Path,
    ) -> anyhow::Result<PathBuf> {
        let dir = self.dir.join(DIR).join(package);
        let (manifest, lock) = (dir.join("Cargo.toml"), dir.join("Cargo.lock"));
        write_if_different(&manifest, made)?;
        // With the workbook's lock file, cargo uses the workbook's versions of the dependencies,
        // which are already on the reader's disk.
        if !lock.exists() {
            write(&lock, &read(&home.join("Cargo.lock"))?)?;
        }
        Ok(manifest)
    }

    /// Returns true if one of the workbook's packages builds on the layers, directly or through
    /// other packages that it names.
    fn stands_on_layers(&self, package: &Path) -> anyhow::Result<bool> {
        let parts = self.workbook.steps()?;
        let mut named = manifest::dependencies(&package.join("Cargo.toml"))?;
        named.retain(|name| parts.contains(name) || self.workbook.has(name));
        for name in named {
            if parts.contains(&name) || self.stands_on_layers(&self.workbook.step(&name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the directory of a layer or of the library, in the version that programs build on:
    /// the reader's or the reference's.
    pub(super) fn part_for_programs(&self, name: &str) -> anyhow::Result<PathBuf> {
        let text = read(&self.dir.join("Cargo.toml"))?;
        let notebook = Manifest::parse(&text)?;
        let path = match notebook.path_of(name) {
            Some(path) if self.is_a_layer(name)? => path.to_owned(),
            _ if self.is_yours(name)? => name.to_owned(),
            _ => {
                self.make_reference_on_yours(name, &notebook)?;
                on_yours::path(name)
            }
        };
        Ok(without_dots(&self.dir.join(path)))
    }

    /// Returns true if programs build on the reader's version of a layer or of the library.
    /// Programs build on the reader's library once its page is complete. Unlike a layer, the
    /// library can't be switched, because no step builds on it.
    fn is_yours(&self, name: &str) -> anyhow::Result<bool> {
        Ok(if self.is_a_layer(name)? {
            self.own_layers()?.iter().any(|own| own == name)
        } else {
            self.standing(name)?.why_not_complete().is_none()
        })
    }

    fn is_a_layer(&self, name: &str) -> anyhow::Result<bool> {
        Ok(self.layers()?.iter().any(|layer| layer == name))
    }
}

/// Returns a manifest's lines for a package's library, programs and examples, with their paths.
fn targets(source: &Path, has_library: bool) -> anyhow::Result<String> {
    let mut text = String::new();
    let at = |path: &str| source.join(path).display().to_string();
    if has_library && source.join("src/lib.rs").is_file() {
        let _ = write!(text, "\n[lib]\npath = {:?}\n", at("src/lib.rs"));
    }
    if has_library && source.join("src/main.rs").is_file() {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let _ = write!(text, "\n[[bin]]\nname = \"{name}\"\npath = {:?}\n", at("src/main.rs"));
    }
    for file in file_names(&source.join("examples")).unwrap_or_default() {
        if let Some(name) = file.strip_suffix(".rs") {
            let path = at(&format!("examples/{file}"));
            let _ = write!(text, "\n[[example]]\nname = \"{name}\"\npath = {path:?}\n");
        }
    }
    Ok(text)
}
