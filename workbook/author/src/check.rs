//! Checks a step's exercises: the starter is red for the right reason, the reference is green,
//! wrong answers are red, and other correct answers are green.
//!
//! The checks run in a notebook in `target/` and use the same code as a reader's commands.

use std::process::ExitCode;

use super::at_a_time::{AT_ONCE, at_a_time};
use super::attempt::Attempt;
use super::body::Body;
use super::documents::AnswerKind;
use super::on_paths::{paths_through, suits_the_path};
use super::together::Together;
use exercises::Exercise;
use judging::Step;
use judging::notebook::Notebook;
use judging::terminal::Terminal;

/// Checks a step in a notebook with this name in `target/` and prints a line for each check. The
/// failures are printed once more at the end, because they're hard to find among hundreds of lines.
pub fn check(step: &Step, notebook: &str) -> anyhow::Result<ExitCode> {
    let mut check = Check { terminal: Terminal::of_stdout(), passed: 0, failures: Vec::new() };
    check.run(step, notebook);
    let Check { terminal, passed, failures } = check;
    let failed = failures.len();
    terminal.print(&format!("{}: {passed} passed, {failed} failed\n", step.package));
    terminal.print(&failures.concat());
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Check {
    terminal: Terminal,
    passed: u32,
    failures: Vec<String>,
}

impl Check {
    fn run(&mut self, step: &Step, notebook: &str) {
        let attempt = Attempt::begin_in(step, notebook);
        self.report("is complete", attempt.as_ref().map_or_else(copied, Attempt::is_complete));
        let Ok(mut attempt) = attempt else { return };
        let starter = attempt.starter_compiles();
        let compiles = starter.is_ok();
        self.report("starter compiles without a warning", starter);
        if !compiles {
            return;
        }
        let bodies = self.bodies_of_all(&attempt, step);
        let of_each: Vec<_> = step.exercises.iter().zip(bodies.iter().map(Vec::as_slice)).collect();
        let together = match attempt.together(&of_each) {
            Ok(together) => together,
            Err(error) => return self.report("all bodies are built", Err(error)),
        };
        if together.is_none() {
            self.terminal.print("  · not all bodies compile in one program\n");
        }
        for (place, &(exercise, bodies)) in of_each.iter().enumerate() {
            let name = format!("{} {}", exercise.number, exercise.name);
            self.has_answers(&attempt, exercise, &name);
            let together = together.as_ref().map(|together| (together, place));
            self.exercise(&mut attempt, exercise, bodies, together, &name);
            if let Err(error) = attempt.put_back(exercise) {
                self.report(&format!("{name}: is put back"), Err(error));
            }
        }
        self.right_answers_together(&mut attempt, &of_each, together.as_ref());
        self.report(
            "with all bodies put back, the page is the reference, byte for byte",
            attempt.is_the_reference(),
        );
        self.on_paths(step, &attempt.page().notebook);
    }

    fn on_paths(&mut self, step: &Step, notebook: &Notebook) {
        let paths = match paths_through(step, notebook) {
            Ok(paths) => paths,
            Err(error) => return self.report("its paths can be walked", Err(error)),
        };
        for path in paths {
            let result = suits_the_path(step, notebook, &path);
            let what = format!("on the path `{path}`: green with our bodies, red with a wrong one");
            self.report(&what, result);
        }
    }

    /// Returns the bodies to try for each exercise. If an exercise's bodies can't be read, reports
    /// the error and returns no bodies for that exercise.
    fn bodies_of_all(&mut self, attempt: &Attempt<'_>, step: &Step) -> Vec<Vec<Body>> {
        let mut bodies = Vec::new();
        for exercise in step.exercises {
            bodies.push(attempt.bodies(exercise).unwrap_or_else(|error| {
                let Exercise { number, name, .. } = exercise;
                self.report(&format!("{number} {name}: has bodies to try"), Err(error));
                Vec::new()
            }));
        }
        bodies
    }

    /// Tries all bodies for an exercise in one program if they compile together, and then tries
    /// only those that fail there in separate programs. If the bodies don't compile together, tries
    /// each body in a separate program.
    fn exercise(
        &mut self,
        attempt: &mut Attempt<'_>,
        exercise: &Exercise,
        bodies: &[Body],
        together: Option<(&Together, usize)>,
        name: &str,
    ) {
        let own = match together {
            Some(_) => Ok(None),
            None => attempt.together(&[(exercise, bodies)]),
        };
        let own = match own {
            Ok(own) => own,
            Err(error) => return self.report(&format!("{name}: is built"), Err(error)),
        };
        let together = together.or(own.as_ref().map(|own| (own, 0)));
        if together.is_none() {
            let why = format!("  · {name}: its bodies don't compile in one program\n");
            self.terminal.print(&why);
        }
        let are_fine = at_a_time(AT_ONCE, bodies.len(), |_, number| {
            together.is_some_and(|(together, place)| {
                let program = together.program(place, number);
                program.and_then(|it| attempt.fits(exercise, &bodies[number], &it)).is_ok()
            })
        });
        for (body, is_fine) in bodies.iter().zip(are_fine) {
            // The other bodies in the program could have caused the failure, since they share a
            // stack frame and the processors.
            let result = if is_fine { Ok(()) } else { attempt.try_alone(exercise, body) };
            self.report(&format!("{name}: {}", body.claim), result);
        }
    }

    /// Tries correct answers to all exercises together, because each answer must also work with the
    /// exercises that build on it. Every correct answer is tried at least once.
    fn right_answers_together(
        &mut self,
        attempt: &mut Attempt<'_>,
        of_each: &[(&Exercise, &[Body])],
        together: Option<&Together>,
    ) {
        let right: Vec<Vec<usize>> =
            of_each.iter().map(|(_, bodies)| right_answers(bodies)).collect();
        let rounds = right.iter().map(Vec::len).max().unwrap_or_default();
        let numbers_in = |round: usize| -> Vec<Option<usize>> {
            right.iter().map(|numbers| numbers.iter().cycle().nth(round).copied()).collect()
        };
        let are_fine = at_a_time(AT_ONCE, rounds, |_, round| {
            together.is_some_and(|together| {
                let program = together.program_of(&numbers_in(round));
                program.and_then(|program| attempt.every_scene_is_green(&program)).is_ok()
            })
        });
        for (round, is_fine) in are_fine.into_iter().enumerate() {
            let numbers = numbers_in(round);
            let answers =
                of_each.iter().zip(&numbers).filter_map(|((exercise, bodies), number)| {
                    Some((*exercise, bodies[(*number)?].text.as_str()))
                });
            let answers: Vec<_> = answers.collect();
            let result = if is_fine { Ok(()) } else { attempt.suit_the_step(&answers) };
            let what = format!("right answers together, {}: all scenes are green", round + 1);
            self.report(&what, result);
        }
    }

    fn has_answers(&mut self, attempt: &Attempt<'_>, exercise: &Exercise, name: &str) {
        // An unreadable document has already been reported along with the bodies.
        let Ok(answers) = attempt.answers_to(exercise) else { return };
        for kind in [AnswerKind::Wrong, AnswerKind::Right] {
            if !answers.iter().any(|answer| answer.kind == kind) {
                let file = attempt.document_of(exercise);
                let missing = Err(anyhow::anyhow!("none in {}", file.display()));
                self.report(&format!("{name}: has a {} answer", kind.word()), missing);
            }
        }
    }

    fn report(&mut self, what: &str, result: anyhow::Result<()>) {
        match result {
            Ok(()) => {
                self.passed += 1;
                self.terminal.print(&format!("  {} {what}\n", self.terminal.green("✓")));
            }
            Err(error) => {
                let failure = format!("  {} {what}\n      {error:#}\n", self.terminal.red("✗"));
                self.terminal.print(&failure);
                self.failures.push(failure);
            }
        }
    }
}

/// Creates a second error with the same text, because `anyhow::Error` can't be cloned.
fn copied(error: &anyhow::Error) -> anyhow::Result<()> {
    Err(anyhow::anyhow!("{error:#}"))
}

/// Returns the indexes of the bodies that are correct answers.
fn right_answers(bodies: &[Body]) -> Vec<usize> {
    let numbered = bodies.iter().enumerate();
    numbered.filter(|(_, body)| body.is_a_right_answer).map(|(number, _)| number).collect()
}
