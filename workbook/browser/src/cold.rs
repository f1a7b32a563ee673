//! Measures how long a page takes to become ready after the navigation begins, without the
//! browser's cache.

use anyhow::{Context, Result};
use serde_json::json;

use crate::{Tab, on_disk};

/// The times at which a page is ready, in milliseconds since the navigation began.
#[derive(Debug, Clone, Copy)]
pub struct Ready {
    /// The time at which the browser has parsed the page, so that its text can be read.
    pub interactive: f64,
    /// The time at which the page's load event ends, after all of the page's scripts have run.
    pub loaded: f64,
}

/// Opens a page as if for the first time and returns the times at which the page is ready.
pub fn open(tab: &mut Tab, page: &str) -> Result<Ready> {
    tab.call("Network.enable", json!({}))?;
    tab.call("Network.setCacheDisabled", json!({ "cacheDisabled": true }))?;
    tab.go_to("about:blank")?;
    tab.go_to(&on_disk(page)?)?;
    let entry = "performance.getEntriesByType('navigation')[0]";
    tab.wait_for(&format!("{entry}.loadEventEnd > 0"))?;
    let mut time = |name: &str| -> Result<f64> {
        tab.evaluate(&format!("{entry}.{name}"))?.as_f64().context("milliseconds")
    };
    Ok(Ready { interactive: time("domInteractive")?, loaded: time("loadEventEnd")? })
}
