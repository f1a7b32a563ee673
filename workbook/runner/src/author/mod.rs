//! What the authors of the workbook run: the proof of the exercises, what later steps run of
//! them, scenes under load, scenes as tests, and twins.

pub(crate) mod check;
mod conversation;
pub(crate) mod reuse;
pub(crate) mod scene_tests;
pub(crate) mod stress;
mod switched;
mod trial;
pub mod twins;
