//! The findings of axe-core, an accessibility checker, on a page.
//!
//! axe-core comes from npm. Before the browser's tests, `.ci/run` installs it with
//! `npm install --no-save --prefix target/axe axe-core@4.10.3`.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{Tab, book};

/// Runs axe on some elements and returns each violation with the first places where it occurs.
///
/// axe spends most of its time on contrast, and elements that look the same have the same contrast.
/// So axe checks the contrast of only one element with each look: in one chapter, 45 of 1,900
/// elements.
const RUN: &str = "
async (selector) => {
    const looks = new Map();
    for (const element of document.querySelectorAll(`:is(${selector}), :is(${selector}) *`)) {
        const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '';
        if (!element.checkVisibility() || ![...element.childNodes].some(isText)) continue;
        const { color, fill, fontSize, fontWeight } = getComputedStyle(element);
        const look = [color, fill, fontSize, fontWeight];
        for (let around = element; around !== null; around = around.parentElement) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(around);
            look.push(backgroundColor, backgroundImage, opacity);
        }
        const isSeen = (value) => !['rgba(0, 0, 0, 0)', 'none', '1'].includes(value);
        looks.set(look.filter(isSeen).join(), element);
    }
    const violations = async (elements, options) =>
        (await axe.run({ include: [...elements] }, { resultTypes: ['violations'], ...options })).violations;
    const contrast = looks.size > 0 ? await violations(looks.values(), { runOnly: ['color-contrast'] }) : [];
    const others = await violations(document.querySelectorAll(selector), { rules: { 'color-contrast': { enabled: false } } });
    return [...contrast, ...others].map(({ id, help, nodes }) => ({
        id, help, count: nodes.length, why: nodes[0].failureSummary,
        first: nodes.slice(0, 3).map((node) => node.html.slice(0, 200))
    }));
}";

/// Returns axe's findings in the elements that match a selector on the tab's page. At least one
/// element has to match.
pub fn violations(tab: &mut Tab, selector: &str) -> Result<Vec<Value>> {
    let file = book()?.join("../axe/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(file)
        .context("npm install --no-save --prefix target/axe axe-core@4.10.3")?;
    tab.evaluate(&axe)?;
    let found = tab.evaluate(&format!("({RUN})({})", json!(selector)))?;
    Ok(found.as_array().context("violations")?.clone())
}
