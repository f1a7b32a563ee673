//! Judges a page: its exercises in order, up to the first red one; if all are green, also the
//! scenes that judge no exercise.

use std::path::Path;

use crate::notebook::page::Page;
use crate::verdict::Verdict;
use scene::{Exercise, Scene, Step};

/// The state of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// All its scenes are as expected.
    Green,
    /// One of its scenes isn't as expected.
    Red,
    /// Its body is still a `todo!`.
    NotWritten,
    /// It hasn't been judged, because an exercise before it isn't green yet.
    Waits,
    /// The page doesn't compile, so we can't tell.
    DoesNotCompile,
}

impl State {
    /// Returns the state in words, as `list` prints it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            State::Green => "green",
            State::Red => "red",
            State::NotWritten => "not written",
            State::Waits => "waits",
            State::DoesNotCompile => "does not compile",
        }
    }

    /// Returns the state as a sign.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            State::Green => "✓",
            State::Waits => "·",
            _ => "✗",
        }
    }
}

/// An exercise and its state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged {
    /// The exercise.
    pub(crate) exercise: &'static Exercise,
    /// Its state.
    pub(crate) state: State,
}

/// The state of a whole page.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// Every exercise of the step, in order.
    pub(crate) exercises: Vec<Judged>,
    /// The scene that is red: the first red exercise's, or one that belongs to no exercise.
    pub(crate) red: Option<Verdict>,
}

impl Judgement {
    /// Makes the judgement of a page that doesn't compile.
    pub(crate) fn does_not_compile(step: &Step) -> Judgement {
        Judgement { exercises: all(step, State::DoesNotCompile), red: None }
    }

    /// Returns the first exercise that isn't green.
    pub(crate) fn first_red(&self) -> Option<&'static Exercise> {
        let red = self.exercises.iter().find(|judged| judged.state != State::Green);
        red.map(|judged| judged.exercise)
    }

    /// Returns true if nothing is left to do.
    pub(crate) fn is_green(&self) -> bool {
        self.red.is_none() && self.first_red().is_none()
    }
}

/// Judges a page by running the scenes of its program.
pub(crate) fn judge(page: &Page, program: &Path) -> anyhow::Result<Judgement> {
    let mut judgement = Judgement { exercises: all(&page.step, State::Waits), red: None };
    for judged in &mut judgement.exercises {
        judgement.red = first_red(page, program, page.scenes_of(judged.exercise))?;
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
        let mut named = page.step.exercises.iter().flat_map(|exercise| exercise.scenes);
        named.any(|name| *name == scene.name)
    };
    let rest = page.step.scenes.iter().filter(|scene| !judges(scene));
    judgement.red = first_red(page, program, rest)?;
    Ok(judgement)
}

fn first_red(
    page: &Page,
    program: &Path,
    scenes: impl Iterator<Item = &'static Scene>,
) -> anyhow::Result<Option<Verdict>> {
    for scene in scenes {
        let verdict = Verdict::of(program, scene, page.expected(scene)?)?;
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
