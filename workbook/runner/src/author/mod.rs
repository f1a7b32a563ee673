//! What the authors of the workbook run: the proof of the exercises, scenes under load, scenes as
//! tests, and twins.

pub(crate) mod check;
pub(crate) mod scene_tests;
pub(crate) mod stress;
mod trial;
pub mod twins;
