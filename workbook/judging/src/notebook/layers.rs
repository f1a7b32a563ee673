//! The layers under the reader's pages. For each layer, the notebook's `Cargo.toml` names the
//! workbook's package, the reader's own page, or a package that builds the reference on the
//! reader's layers.
//!
//! Only the manifest determines which layers are used, so a reader can also edit the manifest by
//! hand. `.state/layers` lists the reader's own layers, in case the manifest has to be created
//! again.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::manifest::{self, Manifest, own_layers_in};
use super::{Notebook, on_yours};
use crate::terminal::shown;
use crate::workbook::{read, read_as_it_is, write, write_if_different};

/// A layer in the notebook's manifest.
pub(super) struct Layer<'a> {
    pub(super) name: &'a str,
    /// The path from the notebook to the workbook's layer.
    pub(super) reference: String,
}

impl Layer<'_> {
    /// Returns a new manifest's lines for this layer. The lines name the reference's package.
    pub(super) fn lines(&self) -> String {
        let Layer { name, reference } = self;
        let without_its_program = "default-features = false";
        format!(
            "{}\n{name} = {{ path = {reference:?}, {without_its_program} }}\n",
            self.comment(false)
        )
    }

    /// Returns the comment above the layer's line. The comment tells the reader which path to set
    /// to switch the layer by hand.
    fn comment(&self, is_own: bool) -> String {
        let (other, path) = if is_own {
            ("the reference", self.reference.as_str())
        } else {
            ("your own layer", self.name)
        };
        format!("# To use {other} instead, set the path to {path:?}.")
    }

    /// Returns a manifest with a new path for the layer and, if our comment is still above the
    /// layer's line, with that comment updated. Nothing else in the manifest changes.
    fn moved(&self, text: &str, path: &str) -> anyhow::Result<String> {
        let place = {
            let manifest = Manifest::parse(text)?;
            manifest.place(&["workspace", "dependencies", self.name, "path"])
        };
        let place = place.with_context(|| {
            format!("there's no `path` of {} under [workspace.dependencies]", self.name)
        })?;
        let (before, after) = (&text[..place.start], &text[place.end..]);
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (above, line) = before.split_at(line);
        let is_own = path == self.name;
        let (old, new) = (self.comment(!is_own), self.comment(is_own));
        let comment = above.rfind(&old).filter(|at| above[at + old.len()..].trim().is_empty());
        let above = match comment {
            Some(at) => format!("{}{new}{}", &above[..at], &above[at + old.len()..]),
            None => above.to_owned(),
        };
        Ok(format!("{above}{line}{path:?}{after}"))
    }
}

impl Notebook {
    /// Returns the steps that other steps build on, in order.
    pub fn layers(&self) -> anyhow::Result<Vec<String>> {
        let steps = self.workbook.steps()?;
        let mut used = Vec::new();
        for step in &steps {
            used.extend(self.layers_under(step)?);
        }
        Ok(steps.into_iter().filter(|step| used.contains(step)).collect())
    }

    /// Returns the layers that a step builds on, in order.
    pub fn layers_under(&self, package: &str) -> anyhow::Result<Vec<String>> {
        let named = manifest::dependencies(&self.workbook.step(package).join("Cargo.toml"))?;
        let steps = self.workbook.steps()?.into_iter();
        Ok(steps.filter(|step| step != package && named.contains(step)).collect())
    }

    /// Returns the layers that are the reader's own.
    pub fn own_layers(&self) -> anyhow::Result<Vec<String>> {
        let file = self.manifest();
        if file.exists() { manifest::own_layers(&file) } else { self.noted_layers() }
    }

    /// Switches a layer to the reader's page or back to the workbook's version.
    pub fn switch_layer(&self, name: &str, is_own: bool) -> anyhow::Result<()> {
        let file = self.manifest();
        let layer = self.layer(name)?;
        let path = if is_own { name } else { &layer.reference };
        let switched = layer.moved(&read_as_it_is(&file)?, path);
        write(&file, &switched.with_context(|| format!("switch {name} in {}", shown(&file)))?)?;
        let own = self.own_layers()?;
        ensure!(own.iter().any(|layer| layer == name) == is_own, "{name} wasn't switched");
        self.fit_layers()
    }

    /// Makes each reference above one of the reader's layers build on that layer. Records which
    /// layers are the reader's, in case the manifest gets lost.
    pub(super) fn fit_layers(&self) -> anyhow::Result<()> {
        let file = self.manifest();
        let text = read_as_it_is(&file)?;
        let fitted = self.fitted(&text).with_context(|| format!("parse {}", shown(&file)))?;
        write_if_different(&file, &fitted)?;
        self.make_references_on_yours(&fitted)?;
        self.note_layers()
    }

    /// Returns a manifest in which each reference above one of the reader's layers builds on that
    /// layer. Changes only the references' paths.
    pub(super) fn fitted(&self, text: &str) -> anyhow::Result<String> {
        let own = own_layers_in(&Manifest::parse(text)?);
        let mut text = text.to_owned();
        for name in self.layers()? {
            let layer = self.layer(&name)?;
            let on_yours = &on_yours::path(&name);
            let stands_on_yours = self.layers_under(&name)?.iter().any(|under| own.contains(under));
            let (from, to) = if stands_on_yours {
                (&layer.reference, on_yours)
            } else {
                (on_yours, &layer.reference)
            };
            if Manifest::parse(&text)?.path_of(&name) == Some(from) {
                text = layer.moved(&text, to)?;
            }
        }
        Ok(text)
    }

    /// Returns a manifest in which the layers in `own` are the reader's pages.
    pub(super) fn with_own_layers(&self, text: &str, own: &[String]) -> anyhow::Result<String> {
        own.iter().try_fold(text.to_owned(), |text, name| {
            let layer = self.layer(name)?;
            let is_there = Manifest::parse(&text)?.path_of(name).is_some();
            if is_there { layer.moved(&text, name) } else { Ok(text) }
        })
    }

    fn layer<'a>(&self, name: &'a str) -> anyhow::Result<Layer<'a>> {
        let reference = self.up_to(name)?.display().to_string();
        Ok(Layer { name, reference })
    }

    fn note_layers(&self) -> anyhow::Result<()> {
        let own = self.own_layers()?;
        let text = if own.is_empty() { String::new() } else { own.join("\n") + "\n" };
        write_if_different(&self.layers_file(), &text)
    }

    /// Returns the layers that were recorded as the reader's own and still have a page.
    pub(super) fn noted_layers(&self) -> anyhow::Result<Vec<String>> {
        let file = self.layers_file();
        let noted = if file.exists() { read(&file)? } else { String::new() };
        let pages = self.pages()?;
        Ok(noted.lines().map(str::to_owned).filter(|layer| pages.contains(layer)).collect())
    }

    fn layers_file(&self) -> PathBuf {
        self.state().join("layers")
    }

    fn manifest(&self) -> PathBuf {
        self.dir.join("Cargo.toml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer() -> Layer<'static> {
        Layer { name: "step01", reference: "../step01".to_owned() }
    }

    #[test]
    fn whatever_else_the_reader_wrote_stays() {
        for (before, after) in [
            (
                "workspace.dependencies.step01 = {version='0.1', path='x'} # why\n# end",
                "workspace.dependencies.step01 = {version='0.1', path=\"step01\"} # why\n# end",
            ),
            (
                "[workspace.dependencies.step01]\n  path = \"../step01\" \nfeatures = []\r\n",
                "[workspace.dependencies.step01]\n  path = \"step01\" \nfeatures = []\r\n",
            ),
        ] {
            assert_eq!(layer().moved(before, "step01").unwrap(), after);
        }
        let error = layer().moved("[workspace.dependencies]\n", "step01").unwrap_err();
        assert!(error.to_string().contains("no `path` of step01"), "{error}");
    }
}
