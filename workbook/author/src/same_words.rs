//! Compares the verdicts on a step's bodies outside and inside a sandbox, such as the grader's. For
//! every known body, including the starter's and the reference's, each of the exercise's scenes and
//! trials has to give the same verdict in both places, except for the numbers in it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use exercises::Exercise;
use judging::Step;
use judging::step::Check;
use judging::terminal::{Terminal, count};

use super::at_a_time::{AT_ONCE, at_a_time};
use super::attempt::{Attempt, described};
use super::body::Body;

/// A body, the program that contains it, and the scene or trial that judges it.
struct Judged<'a> {
    name: String,
    body: &'a Body,
    program: PathBuf,
    check: Check,
}

/// Judges all of a step's bodies, enters a sandbox, judges the bodies again, and prints the
/// verdicts that differ in their words.
pub fn same_words(
    step: &Step,
    enter: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let mut attempt = Attempt::begin_in(step, &format!("same-words-{}", super::short(step)))?;
    let bodies: Vec<Vec<Body>> =
        step.exercises.iter().map(|it| attempt.bodies(it)).collect::<anyhow::Result<_>>()?;
    let of_each: Vec<(&Exercise, &[Body])> =
        step.exercises.iter().zip(bodies.iter().map(Vec::as_slice)).collect();
    let together = attempt.together(&of_each)?.context("the bodies don't compile together")?;
    let mut all = Vec::new();
    for (place, (exercise, bodies)) in of_each.iter().enumerate() {
        for (number, body) in bodies.iter().enumerate() {
            let name = format!("{} {}: {}", exercise.number, exercise.name, body.claim);
            let program = together.program(place, number)?;
            all.extend(step.checks_of(exercise).map(|check| {
                let (name, program) = (name.clone(), program.clone());
                Judged { name, body, program, check }
            }));
        }
    }
    let words = || at_a_time(AT_ONCE, all.len(), |_, index| all[index].words(&attempt));
    let outside = words();
    enter()?;
    let (mut differences, mut measures) = (0, 0);
    for ((judged, outside), inside) in all.iter().zip(outside).zip(words()) {
        if outside == inside {
            continue;
        }
        // Compare the verdicts without numbers, since times and numbers from the kernel differ each
        // time.
        if without_numbers(&outside) == without_numbers(&inside) {
            measures += 1;
        } else {
            differences += 1;
            let (name, check) = (&judged.name, judged.check.name);
            let text = format!("{name}, {check}\n  outside: {outside}\n  inside:  {inside}\n");
            Terminal::of_stdout().print(&text);
        }
    }
    let verdicts = count(all.len(), "verdict");
    let numbers = format!("{measures} with other numbers");
    let package = step.package;
    let text = format!("{package}: {verdicts}, {differences} in other words inside, {numbers}\n");
    Terminal::of_stdout().print(&text);
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Judged<'_> {
    fn words(&self, attempt: &Attempt<'_>) -> String {
        let verdict = self.check.verdict(attempt.page(), &self.program, self.body.effort());
        let words = verdict.map(|verdict| described(&verdict));
        words.unwrap_or_else(|error| format!("{error:#}"))
    }
}

fn without_numbers(words: &str) -> String {
    let mut kept: String = words.chars().filter(|c| !c.is_ascii_digit()).collect();
    kept.retain(|c| c != '.');
    kept
}
