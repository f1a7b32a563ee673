//! The checks that the workbook's authors run: of the exercises, of their use in later steps, and
//! of the scenes, under load, as tests, and against their twins.

mod attempt;
pub(crate) mod check;
mod conversation;
pub(crate) mod reuse;
pub(crate) mod scene_tests;
pub(crate) mod stress;
mod switched;
pub mod twins;
