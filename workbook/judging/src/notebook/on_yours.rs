//! Creates packages that build references on the reader's layers.
//!
//! Step 04 builds on 03 and 02 and passes values of 02's types to 03. If 02 is the reader's and 03
//! the reference's, then 03 has to be compiled with the reader's 02, too. Step 03's own package
//! can't be compiled that way, because it belongs to the workbook and uses the workbook's 02. So
//! the notebook gets a package with the same sources and different dependencies.

use std::fmt::Write;

use super::Notebook;
use super::manifest::Manifest;
use crate::workbook::{read, write_if_different};

/// The notebook's directory for packages that build a reference on the reader's layers.
pub(crate) const DIR: &str = ".reference";

/// Returns the path, relative to the notebook, of the package that builds a step's reference on the
/// reader's layers.
pub(super) fn path(package: &str) -> String {
    format!("{DIR}/{package}")
}

impl Notebook {
    /// Creates a package for each reference that builds on the reader's layers according to the
    /// notebook's manifest. The manifest also declares the packages' dependencies.
    pub(super) fn make_references_on_yours(&self, manifest: &str) -> anyhow::Result<()> {
        let notebook = Manifest::parse(manifest)?;
        for package in self.layers()? {
            if notebook.path_of(&package) != Some(&path(&package)) {
                continue;
            }
            self.make_reference_on_yours(&package, &notebook)?;
        }
        Ok(())
    }

    /// Creates the package that builds one step's reference on the reader's layers.
    pub(super) fn make_reference_on_yours(
        &self,
        package: &str,
        notebook: &Manifest<'_>,
    ) -> anyhow::Result<()> {
        let made = self.reference_on_yours(package, notebook)?;
        let file = self.dir.join(path(package)).join("Cargo.toml");
        write_if_different(&file, &made)
    }

    fn reference_on_yours(&self, package: &str, notebook: &Manifest<'_>) -> anyhow::Result<String> {
        let step = read(&self.workbook.step(package).join("Cargo.toml"))?;
        let step = Manifest::parse(&step)?;
        let edition = notebook.at(&["workspace", "package", "edition"]);
        let mut text = format!(
            "# The reference's {package}, on your layers. The workbook makes this file.\n\
             [package]\n\
             name = \"{package}\"\n\
             version = \"0.1.0-on-yours\"\n\
             edition = {:?}\n\
             publish = false\n\
             \n\
             [lib]\n\
             path = \"../../{}/src/lib.rs\"\n\
             \n\
             [dependencies]\n",
            edition.and_then(|edition| edition.as_str()).unwrap_or("2024"),
            self.up_to(package)?.display(),
        );
        let offered = notebook.entries(&["workspace", "dependencies"]);
        let mut named = step.names(&["dependencies"]);
        // We only need the layer, so leave out the dependencies of the step's program.
        named.retain(|name| !step.is_optional(name));
        for (name, value) in offered.into_iter().filter(|(name, _)| named.contains(name)) {
            let value = value.replacen("path = \"", "path = \"../../", 1);
            let _ = writeln!(text, "{name} = {value}");
        }
        Ok(text)
    }
}
