//! The experiments of this step.

use workbook::{Exercise, Scene};

pub(crate) const SCENES: &[Scene] = &[];
pub(crate) const EXERCISES: &[Exercise] = &[];
