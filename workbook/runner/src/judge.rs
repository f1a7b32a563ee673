//! Judges a page: its exercises in order up to the first that is red, and when none is, the scenes
//! that are left.

use std::path::Path;

use crate::verdict::Verdict;
use scene::{Exercise, Scene, Step};

/// How an exercise stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All its scenes are as expected.
    Green,
    /// A scene is not.
    Red,
    /// Its body is still a `todo!`.
    NotWritten,
    /// An exercise before it is not green.
    Waits,
    /// The page does not compile, so nobody knows.
    DoesNotCompile,
}

impl State {
    /// The state in words, as `list` prints it.
    pub fn words(self) -> &'static str {
        match self {
            State::Green => "green",
            State::Red => "red",
            State::NotWritten => "not written",
            State::Waits => "waits",
            State::DoesNotCompile => "does not compile",
        }
    }

    /// The state as a sign.
    pub fn sign(self) -> &'static str {
        match self {
            State::Green => "✓",
            State::Waits => "·",
            _ => "✗",
        }
    }
}

/// An exercise and how it stands.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// The exercise.
    pub exercise: &'static Exercise,
    /// How it stands.
    pub state: State,
}

/// How a whole page stands.
#[derive(Debug)]
pub struct Judgement {
    /// Every exercise of the step, in order.
    pub exercises: Vec<Judged>,
    /// The scene that is red: of the first red exercise, or of none.
    pub red: Option<Verdict>,
}

impl Judgement {
    /// A page that cannot be judged, since it does not compile.
    pub fn does_not_compile(step: &Step) -> Judgement {
        Judgement { exercises: all(step, State::DoesNotCompile), red: None }
    }

    /// The first exercise that is not green.
    pub fn first_red(&self) -> Option<&'static Exercise> {
        let red = self.exercises.iter().find(|judged| judged.state != State::Green);
        red.map(|judged| judged.exercise)
    }

    /// Nothing is left to do.
    pub fn is_green(&self) -> bool {
        self.red.is_none() && self.first_red().is_none()
    }
}

/// Judges a page by playing its program. `dir` is the step's own directory, with the answer keys.
pub(crate) fn judge(step: &Step, program: &Path, dir: &Path) -> anyhow::Result<Judgement> {
    let mut judgement = Judgement { exercises: all(step, State::Waits), red: None };
    for judged in &mut judgement.exercises {
        let scenes = scenes_of(step, judged.exercise);
        judgement.red = first_red(scenes, program, dir)?;
        judged.state = match &judgement.red {
            None => State::Green,
            Some(verdict) if verdict.is_not_written(judged.exercise) => State::NotWritten,
            Some(_) => State::Red,
        };
        if judgement.red.is_some() {
            return Ok(judgement);
        }
    }
    let judges = |scene: &Scene| {
        let mut named = step.exercises.iter().flat_map(|exercise| exercise.scenes);
        named.any(|name| *name == scene.name)
    };
    let rest = step.scenes.iter().filter(|scene| !judges(scene));
    judgement.red = first_red(rest, program, dir)?;
    Ok(judgement)
}

/// The scenes that judge an exercise, in the order it names them.
pub(crate) fn scenes_of(step: &Step, exercise: &Exercise) -> impl Iterator<Item = &'static Scene> {
    let find = |name| step.scenes.iter().find(move |scene| scene.name == name);
    exercise.scenes.iter().filter_map(move |name| find(*name))
}

fn first_red(
    scenes: impl Iterator<Item = &'static Scene>,
    program: &Path,
    dir: &Path,
) -> anyhow::Result<Option<Verdict>> {
    for scene in scenes {
        let verdict = Verdict::of(program, scene, dir)?;
        if !verdict.is_green() {
            return Ok(Some(verdict));
        }
    }
    Ok(None)
}

fn all(step: &Step, state: State) -> Vec<Judged> {
    let judged = |exercise| Judged { exercise, state };
    step.exercises.iter().map(judged).collect()
}
