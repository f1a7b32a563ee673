//! Snapshot tests, one for each of a step's scenes.
//!
//! A scene that the book asks the reader to predict has a second snapshot, in `tests/blanks`. The
//! second snapshot contains the scene's lines with the values marked. The blanks on the book's
//! pages come from this snapshot.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::described::{has_the_checks_of, step_of};
use crate::sheets::{ensure_all_is_asked, ensure_it_can_be_answered};
use judging::run::run_scene_showing;
use judging::step::FROM_SCRATCH;
use judging::workbook::{Workbook, file_names};
use runner::chapter::Chapter;
use runner::predict::sheet_in_book;
use scene::values::written;

/// A test of a scene and its snapshot. The test fails if the scene or the snapshot is missing.
#[derive(Debug, Clone)]
pub struct SceneTest {
    /// The name of the scene and its snapshot.
    pub name: String,
    package: String,
    manifest_dir: String,
    is_scene: bool,
    is_predicted: bool,
}

/// The output of a scene.
#[derive(Debug)]
pub struct Said {
    /// The scene's transcript.
    pub transcript: String,
    /// The transcript with its values marked, if the book asks the reader to predict the scene.
    pub blanks: Option<String>,
}

/// Returns a step's tests: one for each scene that the step's program declares or that has a
/// snapshot.
pub fn scene_tests(program: &str, manifest_dir: &str, package: &str) -> Vec<SceneTest> {
    let output = Command::new(program).arg("list-scenes").output().expect("ask for the scenes");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the scenes' names");
    // We use the step's own snapshots, even for a reader's page.
    let workbook = Workbook::of(manifest_dir).expect("a copy of the workbook");
    let snapshots = file_names(&workbook.snapshots(package)).unwrap_or_default();
    let snapshots = snapshots.iter().filter_map(|name| name.strip_suffix(".snap"));
    let mut tests: BTreeMap<&str, bool> = snapshots.map(|name| (name, false)).collect();
    tests.extend(text.lines().map(|name| (name, true)));
    let book = Chapter::whole_book(&workbook).expect("the index of the book");
    let asked_for = book.predictions().filter(|it| it.package == package);
    let predicted: Vec<&str> = asked_for.map(|it| it.scene.as_str()).collect();
    let blanks = file_names(&workbook.step(package).join("tests/blanks")).unwrap_or_default();
    for name in blanks.iter().filter_map(|name| name.strip_suffix(".snap")) {
        assert!(predicted.contains(&name), "blanks/{name}.snap: no page asks for it");
    }
    let tests = tests.into_iter().map(|(name, is_scene)| SceneTest {
        name: name.to_owned(),
        package: package.to_owned(),
        manifest_dir: manifest_dir.to_owned(),
        is_scene,
        is_predicted: predicted.contains(&name),
    });
    tests.collect()
}

/// Checks that `exercises.toml` can be read and that its exercises name only existing scenes and
/// trials.
pub fn exercises_name_what_there_is(
    program: &str,
    manifest_dir: &str,
    package: &str,
) -> anyhow::Result<()> {
    let step = step_of(&Workbook::of(manifest_dir)?, package, program.into())?;
    step.exercises.iter().try_for_each(|exercise| has_the_checks_of(&step, exercise))
}

impl SceneTest {
    /// Runs the scene in a separate process and returns its output.
    ///
    /// Panics with the reason if the snapshot doesn't belong to any scene, if the scene fails, or
    /// if the scene's prediction sheet has a mistake.
    pub fn play(&self, program: &str) -> Said {
        let name = &self.name;
        assert!(self.is_scene, "{name}.snap belongs to no scene of this step");
        let mut lines = Vec::new();
        let run =
            run_scene_showing(Path::new(program), name, &mut |line| lines.push(line.to_owned()));
        let run = run.expect("start the scene");
        if let Some(sentence) = run.sentence() {
            panic!(
                "{name}: {sentence}\ntranscript so far:\n{}printed:\n{}",
                run.transcript, run.printed
            );
        }
        // Readers don't predict the scenes for a loop from scratch.
        if self.package == FROM_SCRATCH {
            return Said { transcript: run.transcript, blanks: None };
        }
        let workbook = Workbook::of(&self.manifest_dir).expect("a copy of the workbook");
        let sheet = sheet_in_book(&workbook, &self.package, name, &lines);
        let key = run.transcript.lines().collect::<Vec<&str>>();
        let checked = sheet.and_then(|sheet| {
            ensure_it_can_be_answered(&sheet, &key)?;
            if self.is_predicted { ensure_all_is_asked(&sheet, &lines) } else { Ok(()) }
        });
        if let Err(error) = checked {
            panic!("{name}, its sheet for predict: {error:#}");
        }
        let blanks = self.is_predicted.then(|| written(&lines.join("\n")));
        Said { transcript: run.transcript, blanks }
    }
}

/// Defines the `main` of a test without a harness. The `main` runs a snapshot test for each scene
/// in a step's program and a test of the step's exercises.
#[macro_export]
macro_rules! scene_tests {
    ($program:expr) => {
        fn main() -> std::process::ExitCode {
            let (dir, package) = (env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
            let tests = $crate::scene_tests($program, dir, package);
            let trials = tests.into_iter().map(|test| {
                libtest_mimic::Trial::test(test.name.clone(), move || {
                    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
                        let said = test.play($program);
                        insta::assert_snapshot!(test.name.as_str(), said.transcript);
                        if let Some(blanks) = said.blanks {
                            insta::with_settings!({ snapshot_path => "blanks" }, {
                                insta::assert_snapshot!(test.name.as_str(), blanks);
                            });
                        }
                    });
                    Ok(())
                })
            });
            let exercises = libtest_mimic::Trial::test("the_exercises_name_what_there_is", move || {
                $crate::exercises_name_what_there_is($program, dir, package)
                    .map_err(|error| format!("{error:#}").into())
            });
            let arguments = libtest_mimic::Arguments::from_args();
            libtest_mimic::run(&arguments, trials.chain([exercises]).collect()).exit_code()
        }
    };
}
