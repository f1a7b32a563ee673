//! A race's results: the tables and plots for the book.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::plot::Plot;

/// The tables, each of which is printed as soon as it's added, and the plots.
#[derive(Default)]
pub(crate) struct Findings {
    tables: String,
    plots: Vec<Plot>,
}

impl Findings {
    /// Prints text and adds it to the tables.
    pub(crate) fn add(&mut self, text: &str) {
        print!("{text}");
        self.tables += text;
    }

    /// Adds a plot.
    pub(crate) fn plot(&mut self, plot: Plot) {
        self.plots.push(plot);
    }

    /// Writes the tables and plots into the book. The page with the tables begins by saying what
    /// was measured, and on which machine.
    pub(crate) fn write(&self, book: &Path, name: &str, says: &str) -> Result<()> {
        let page = format!("{says}, {}\n{}", machine()?, self.tables);
        write_file(&book.join("measured").join(name).with_extension("md"), &page)?;
        for plot in &self.plots {
            let path = book.join("pictures").join(plot.id).with_extension("svg");
            write_file(&path, &plot.to_svg()?)?;
        }
        Ok(())
    }
}

/// Returns a description of the machine: its cores, architecture and kernel.
fn machine() -> Result<String> {
    let cores = std::thread::available_parallelism()?;
    let release =
        fs::read_to_string("/proc/sys/kernel/osrelease").context("the kernel's release")?;
    let version: Vec<&str> = release.split('.').take(2).collect();
    let (version, processor) = (version.join("."), std::env::consts::ARCH);
    Ok(format!("on {cores} cores ({processor}), Linux {version}."))
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("write {}", path.display()))
}
