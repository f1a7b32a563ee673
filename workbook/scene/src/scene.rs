//! A scene: a small experiment with its question. A step declares a list of scenes.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::Transcript;

/// A small named experiment, usually on the real kernel, with a deterministic transcript.
///
/// The expected transcript is in the file `tests/snapshots/NAME.snap` of the step's package. That
/// file is compiled into the step's program.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// The name on the command line, which is also the name of the scene's function.
    pub name: &'static str,
    /// The question that the scene answers.
    pub question: &'static str,
    /// True if the reader also predicts the order of the lines.
    pub asks_for_order: bool,
    /// Sets up the step's onlooker, which adds the state of queues and loops to a recording. System
    /// calls don't show that state.
    pub look_on: Option<fn()>,
    /// Runs the experiment. An error ends the scene and is shown to the reader.
    pub play: fn(Transcript) -> anyhow::Result<()>,
}

/// Prints the names of the scenes, one per line, for the tests that run all scenes.
pub fn list_scenes(scenes: &[Scene]) -> ExitCode {
    let mut out = io::stdout().lock();
    let printed = scenes.iter().try_for_each(|scene| writeln!(out, "{}", scene.name));
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Declares a scene next to the function of the same name that runs it. With `NAME: order`, a
/// reader who predicts the scene also predicts the order of the lines.
///
/// ```
/// use scene::{Transcript, say, scene, scenes};
/// mod counting {
///     use super::*;
///     scene!(one_and_one, "How much is one and one?");
///     fn one_and_one(t: Transcript) -> anyhow::Result<()> {
///         say!(t, "{}", 1 + 1);
///         Ok(())
///     }
/// }
/// scenes! { counting::one_and_one }
/// # fn main() { assert_eq!(SCENES[0].name, "one_and_one"); }
/// ```
#[macro_export]
macro_rules! scene {
    ($name:ident, $question:literal $(,)?) => {
        $crate::scene!($name, $question, false);
    };
    ($name:ident: order, $question:literal $(,)?) => {
        $crate::scene!($name, $question, true);
    };
    // A module and a function can share a name, so the list can use the function's name.
    ($name:ident, $question:literal, $asks_for_order:literal) => {
        pub(crate) mod $name {
            pub(crate) const SCENE: $crate::Scene = $crate::Scene {
                name: stringify!($name),
                question: $question,
                asks_for_order: $asks_for_order,
                look_on: None,
                play: super::$name,
            };
        }
    };
}

/// Lists a step's scenes as `SCENES`, in the order in which `play` shows them. If a
/// function precedes the list, as in `scenes! { onlooker::look_on => waking::hundred_wakes }`, it's
/// called before each scene that's recorded.
#[macro_export]
macro_rules! scenes {
    ($look_on:path => $($($scene:ident)::+),+ $(,)?) => {
        pub(crate) const SCENES: &[$crate::Scene] =
            &[$($crate::Scene { look_on: Some($look_on), ..$($scene)::+::SCENE }),+];
    };
    ($($($scene:ident)::+),+ $(,)?) => {
        pub(crate) const SCENES: &[$crate::Scene] = &[$($($scene)::+::SCENE),+];
    };
}
