//! criterion's results, read from its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tinyjson::JsonValue;

/// A directory that contains criterion's results.
pub(crate) struct Estimates {
    dir: PathBuf,
}

impl Estimates {
    pub(crate) fn in_dir(dir: &Path) -> Self {
        Estimates { dir: dir.to_owned() }
    }

    /// Returns the median in nanoseconds, or `None` if that case wasn't measured.
    pub(crate) fn median(&self, group: &str, function: &str, value: &str) -> Result<Option<f64>> {
        let path = self.dir.join(group).join(function).join(value).join("new/estimates.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let json: JsonValue = text.parse().with_context(|| path.display().to_string())?;
        median_of(&json).with_context(|| format!("no median in {}", path.display())).map(Some)
    }
}

fn median_of(json: &JsonValue) -> Option<f64> {
    let estimates = json.get::<std::collections::HashMap<String, JsonValue>>()?;
    let median = estimates.get("median")?.get::<std::collections::HashMap<String, JsonValue>>()?;
    median.get("point_estimate")?.get::<f64>().copied()
}
