//! Creates a crate that builds the Python module on the reader's layers. The module's own crate is
//! a separate workspace and a library with features. So its manifest isn't generated like a
//! program's but copied with new paths.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::Context;

use super::Notebook;
use super::manifest::Manifest;
use crate::workbook::{read, without_dots};

/// The package that contains the module's library.
const PACKAGE: &str = "extension";

/// The last step that the module needs if it's built with the selector alone.
const LAST_OF_THE_SELECTOR: &str = "step03_selector";

/// The module's crate on the reader's layers.
#[derive(Debug)]
pub struct ModuleOnYours {
    /// The crate's manifest.
    pub manifest: PathBuf,
    /// The reader's layers under the module.
    pub yours: Vec<String>,
    /// The reference's layers under the module.
    pub references: Vec<String>,
    /// The layers that the reader still has to provide before the module can contain more than the
    /// selector. Empty if the whole loop is the reader's.
    pub missing: Vec<String>,
}

impl Notebook {
    /// Creates the Python module's crate. Unless all layers are the reader's, the crate is meant to
    /// be built with the selector alone, because a mix of our layers and the reader's isn't the
    /// reader's loop.
    pub fn module_on_yours(&self) -> anyhow::Result<ModuleOnYours> {
        let source = self.workbook.step(PACKAGE);
        let text = read(&source.join("Cargo.toml"))?;
        let mut made = text.clone();
        for (place, path) in self.paths_of_module(&text)?.into_iter().rev() {
            made.replace_range(place, &format!("{:?}", path.display().to_string()));
        }
        let library =
            format!("[lib]\npath = {:?}\n", source.join("src/lib.rs").display().to_string());
        made = format!(
            "# The workbook's module for Python, on your layers. The workbook makes this file.\n{}",
            made.replacen("[lib]\n", &library, 1)
        );
        let manifest = self.make_package(PACKAGE, &made, &source)?;

        let (layers, own) = (self.layers()?, self.own_layers()?);
        let missing: Vec<String> =
            layers.iter().filter(|layer| !own.contains(layer)).cloned().collect();
        let is_used = |layer: &String| missing.is_empty() || **layer <= *LAST_OF_THE_SELECTOR;
        let (yours, references) =
            layers.into_iter().filter(is_used).partition(|layer| own.contains(layer));
        Ok(ModuleOnYours { manifest, yours, references, missing })
    }

    /// Returns the range of each path in the crate's manifest, in order, with the new path for that
    /// range.
    fn paths_of_module(&self, text: &str) -> anyhow::Result<Vec<(Range<usize>, PathBuf)>> {
        let (source, parts) = (self.workbook.step(PACKAGE), self.workbook.steps()?);
        let manifest = Manifest::parse(text)?;
        let mut paths = Vec::new();
        for section in [&["dependencies"][..], &["workspace", "dependencies"]] {
            for name in manifest.names(section) {
                let key = [section, &[&name, "path"]].concat();
                let Some(place) = manifest.place(&key) else { continue };
                let path =
                    manifest.at(&key).and_then(|it| it.as_str()).context("a path is text")?;
                let now = if parts.contains(&name) {
                    self.part_for_programs(&name)?
                } else {
                    without_dots(&source.join(path))
                };
                paths.push((place, now));
            }
        }
        paths.sort_by_key(|(place, _)| place.start);
        Ok(paths)
    }
}
