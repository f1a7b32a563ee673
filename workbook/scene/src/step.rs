//! What a step declares about itself: its scenes, its exercises, its server.
//!
//! The declarations are plain data, which the runner, the tests and the book all read.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::{Transcript, Trial};

/// One of the seven steps, as its `main.rs` declares it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The package's name, `"step02_epoll"`.
    pub package: &'static str,
    /// What the step adds, in a few words: `"epoll"`.
    pub title: &'static str,
    /// `env!("CARGO_MANIFEST_DIR")` of the package that was built: the step itself, or the
    /// reader's page of it.
    pub manifest_dir: &'static str,
    /// The experiments, in the chapter's order.
    pub scenes: &'static [Scene],
    /// The snapshots, each with its scene's name, as they were when the program was built.
    pub keys: &'static [(&'static str, &'static str)],
    /// The promises that scenes can't show, each with the programs that check it.
    pub trials: &'static [Trial],
    /// The exercises, in the order they are solved. An exercise can rely on those before it.
    pub exercises: &'static [Exercise],
    /// Runs the echo server on the loop so far, on a TCP port of 127.0.0.1 (0 lets the kernel
    /// choose a free one), until it is stopped. Step 01 has none.
    pub serve: Option<fn(u16) -> anyhow::Result<()>>,
}

/// A small named experiment on the real kernel, with a deterministic transcript.
///
/// The expected transcript is in `stepNN/tests/snapshots/NAME.snap`, from where it gets into the
/// step's program.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// The name on the command line; also the name of its function.
    pub name: &'static str,
    /// The question that the scene answers.
    pub question: &'static str,
    /// True if the order of the lines is a question, too: then `predict` asks which line comes when.
    pub asks_for_order: bool,
    /// Runs the experiment. An error ends the scene and is shown to the reader.
    pub play: fn(Transcript) -> anyhow::Result<()>,
}

/// Prints the names of the scenes, one per line, for the tests that run them all.
pub fn list_scenes(scenes: &[Scene]) -> ExitCode {
    let mut out = io::stdout().lock();
    let printed = scenes.iter().try_for_each(|scene| writeln!(out, "{}", scene.name));
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A function body for the reader to write, judged by scenes.
///
/// In the reference, its function is between `// ANCHOR: name` and `// ANCHOR_END: name`, in one of
/// the files of `src/`.
#[derive(Debug, Clone, Copy)]
pub struct Exercise {
    /// The step, and the position in it: `"2.3"`.
    pub number: &'static str,
    /// The name on the command line; also the anchor in the source.
    pub name: &'static str,
    /// What to write, as one sentence in the imperative.
    pub task: &'static str,
    /// How long it takes, in minutes.
    pub minutes: u8,
    /// The reason why no later step runs the body. `None` if a later step does, which a check
    /// proves.
    pub only_here: Option<&'static str>,
    /// The scenes that judge it, by name. Each fails while the exercise is not written.
    pub scenes: &'static [&'static str],
    /// The trials that judge it after the scenes, by name.
    pub trials: &'static [&'static str],
    /// The hints: a question, then the method, then a body that compiles.
    pub hints: &'static [&'static str],
    /// Hints for particular mistakes, shown before the others.
    pub nudges: &'static [Nudge],
}

/// A hint for a particular mistake, recognised by what the reader's body did.
#[derive(Debug, Clone, Copy)]
pub struct Nudge {
    /// The scene or trial that's red.
    pub at: &'static str,
    /// A part of the first line that differs from what was expected, or of the fault's sentence.
    /// An empty text fits everything.
    pub sees: &'static str,
    /// The hint.
    pub hint: &'static str,
}

/// Declares a scene next to the function of the same name that runs it. With `NAME: order`, a reader who
/// predicts it has to say which line comes when.
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
                play: super::$name,
            };
        }
    };
}

/// Lists the scenes of a step as `SCENES`, in the order in which `play` shows them.
#[macro_export]
macro_rules! scenes {
    ($($($scene:ident)::+),+ $(,)?) => {
        pub(crate) const SCENES: &[$crate::Scene] = &[$($($scene)::+::SCENE),+];
    };
}
