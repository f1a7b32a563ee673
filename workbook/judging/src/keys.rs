//! The keys: each scene's expected transcript, compiled into the step's program. Trials don't have
//! keys, because a trial's results are compared with the reference's results.

use crate::Step;
use anyhow::Context;

use crate::workbook::without_header;

/// Returns the expected transcript of a scene.
///
/// Fails if the step was built without a snapshot for this scene.
pub fn of(step: &Step, scene: &str) -> anyhow::Result<&'static str> {
    let key = step.keys.iter().find(|(name, _)| *name == scene);
    let (_, text) = key.with_context(|| format!("the scene {scene} has no snapshot"))?;
    Ok(without_header(text).trim_end())
}
