//! The experiments of step 01, in the order the chapter meets them.

mod exercises;
mod numbers;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[Scene {
    name: "lowest_free_number",
    about: "Which number does a new descriptor get?",
    play: numbers::lowest_free_number,
}];
