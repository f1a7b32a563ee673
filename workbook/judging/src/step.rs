//! A step, as the step's own program declares it and as the runner needs it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use exercises::Exercise;
use scene::{Page, Scene, Trial};

use crate::workbook::Workbook;

/// The declarations in the `main.rs` of a step's program.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    /// The package's name, such as `"step02_epoll"`.
    pub package: &'static str,
    /// The step's subject in a few words, such as `"epoll"`.
    pub title: &'static str,
    /// The value of `env!("CARGO_MANIFEST_DIR")` in the step's package. The directory may have
    /// moved since the program was built.
    pub manifest_dir: &'static str,
    /// The experiments, in the chapter's order.
    pub scenes: &'static [Scene],
    /// The snapshots as they were when the program was built, each with its scene's name.
    pub keys: &'static [(&'static str, &'static str)],
    /// The promises that scenes can't show, each with the programs that check it.
    pub trials: &'static [Trial],
    /// The text of the step's `exercises.toml`.
    pub exercises: &'static str,
    /// Runs the echo server, with the layers up to this step, on a TCP port of 127.0.0.1 until the
    /// process is stopped. With port 0, the kernel chooses a free port. `None` if the step doesn't
    /// have a server.
    pub serve: Option<fn(u16) -> anyhow::Result<()>>,
}

/// A step without its code: the exercises, and the scenes and trials that judge them.
///
/// The runner reads the step once and keeps it for as long as the program runs.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The package's name, such as `"step02_epoll"`.
    pub package: &'static str,
    /// The step's subject in a few words. Empty if the step was read without its checks.
    pub title: &'static str,
    /// The directory of the step's package, which may have moved since the step's program was
    /// built.
    pub manifest_dir: &'static str,
    /// The program that runs the step's scenes and trials on the reference.
    pub reference: &'static Path,
    /// The scenes, in the chapter's order.
    pub scenes: &'static [Check],
    /// The snapshots, each with its scene's name.
    pub keys: &'static [(&'static str, &'static str)],
    /// The trials.
    pub trials: &'static [Check],
    /// The exercises, in the order in which a reader solves them. An exercise can rely on earlier
    /// exercises.
    pub exercises: &'static [Exercise],
    /// True if the step has an echo server, which a reader can start with `serve`.
    pub has_server: bool,
}

/// A check of a page: a scene or a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// The kind: a scene or a trial.
    pub kind: CheckKind,
    /// The name.
    pub name: &'static str,
    /// The scene's question, or the trial's promise.
    pub about: &'static str,
    /// The number of the trial's programs, or 1 for a scene.
    pub programs: u32,
    /// True if `predict` also asks for the order of a scene's lines.
    pub asks_for_order: bool,
}

/// The kind of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckKind {
    /// An experiment whose transcript is compared with its snapshot.
    Scene,
    /// One or more programs whose results are compared with the reference's results.
    Trial,
}

impl CheckKind {
    /// Returns the name of the kind.
    pub fn word(self) -> &'static str {
        match self {
            CheckKind::Scene => "scene",
            CheckKind::Trial => "trial",
        }
    }
}

impl Declared {
    /// Returns the declarations that a process needs for running a scene or a trial.
    pub fn page(&self) -> Page {
        let Declared { package, manifest_dir, scenes, trials, serve, .. } = *self;
        Page { package, manifest_dir, scenes, trials, serve }
    }

    /// Returns the step without its code. Reads the exercises from their text.
    pub fn step(&self) -> anyhow::Result<Step> {
        let file = || format!("{}/{}", self.package, exercises::FILE);
        let exercises = exercises::parse(self.exercises).with_context(file)?;
        Ok(Step {
            package: self.package,
            title: self.title,
            manifest_dir: self.manifest_dir,
            reference: this_program().leak(),
            scenes: self.scenes.iter().map(Check::of_scene).collect::<Vec<_>>().leak(),
            keys: self.keys,
            trials: self.trials.iter().map(Check::of_trial).collect::<Vec<_>>().leak(),
            exercises: exercises.leak(),
            has_server: self.serve.is_some(),
        })
    }
}

/// Returns a path to this program: a link that works even if the file has been replaced since the
/// program started.
pub fn this_program() -> PathBuf {
    PathBuf::from(format!("/proc/{}/exe", std::process::id()))
}

impl Check {
    fn of_scene(scene: &Scene) -> Check {
        let Scene { name, question, asks_for_order, .. } = *scene;
        Check { kind: CheckKind::Scene, name, about: question, programs: 1, asks_for_order }
    }

    fn of_trial(trial: &Trial) -> Check {
        let Trial { name, promise, programs, .. } = *trial;
        Check { kind: CheckKind::Trial, name, about: promise, programs, asks_for_order: false }
    }

    /// Returns the check's kind and name, followed by its question or promise.
    pub fn title(&self) -> String {
        format!("{}: {}", self.short(), self.about)
    }

    /// Returns the check's kind and name.
    pub fn short(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }
}

/// The name of the package whose page starts as a file with nothing but the contract.
pub const FROM_SCRATCH: &str = "from_scratch";

impl Step {
    /// Returns true if the step's page starts as a file with nothing but the contract and its
    /// exercises are the stages in which the reader fills that file.
    pub fn is_from_scratch(&self) -> bool {
        self.package == FROM_SCRATCH
    }

    /// Returns true if the step has tasks or callbacks, which may wait for a wake-up. The steps
    /// before step 06 have none.
    pub fn has_tasks(&self) -> bool {
        !self.package.starts_with("step") || self.package >= "step06"
    }

    /// Reads a step without its scenes and trials, which only the step's program lists.
    pub fn without_checks(workbook: &Workbook, package: &str) -> anyhow::Result<Step> {
        let dir = workbook.step(package);
        Ok(Step {
            package: package.to_owned().leak(),
            title: "",
            manifest_dir: dir.display().to_string().leak(),
            reference: Path::new(""),
            scenes: &[],
            keys: &[],
            trials: &[],
            exercises: exercises::read(&dir)?.leak(),
            has_server: dir.join("src/echo_server").is_dir(),
        })
    }

    /// Returns an exercise's checks: first its scenes, then its trials, each in the order in which
    /// the exercise names them.
    pub fn checks_of(&self, exercise: &Exercise) -> impl Iterator<Item = Check> + use<> {
        let find = |all: &'static [Check], names: &[String]| -> Vec<Check> {
            let named = |name: &String| all.iter().find(|check| check.name == name).copied();
            names.iter().filter_map(named).collect()
        };
        let scenes = find(self.scenes, &exercise.scenes);
        scenes.into_iter().chain(find(self.trials, &exercise.trials))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_belongs_to_one_exercise_for_good() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let (mut chapters, mut there, mut moved_to) = (Vec::new(), Vec::new(), Vec::new());
        for step in workbook.steps().unwrap() {
            let all = exercises::read(&workbook.step(&step)).unwrap();
            let gone = exercises::gone(&workbook.step(&step)).unwrap();
            let (chapter, _) = all[0].number.split_once('.').unwrap();
            let numbers = all.iter().map(|it| &it.number).chain(gone.iter().map(|it| &it.number));
            let mut numbers: Vec<String> = numbers.cloned().collect();
            numbers
                .sort_by_key(|number| number.rsplit('.').next().unwrap().parse::<u32>().unwrap());
            // The number of exercises per chapter in the first release. Each exercise's number must
            // occur exactly once, so no number is forgotten or reused.
            let first = [7, 8, 7, 6, 6, 9, 8, 11][chapters.len()];
            assert!(numbers.len() >= first, "{step} has lost the last of its numbers");
            let expected = (1..=numbers.len()).map(|index| format!("{chapter}.{index}"));
            assert_eq!(numbers, expected.collect::<Vec<_>>(), "{step}");
            there.extend(all.iter().map(|it| it.number.clone()));
            moved_to.extend(gone.into_iter().flat_map(|it| it.now));
            chapters.push(chapter.parse::<usize>().unwrap());
        }
        let lost: Vec<&String> = moved_to.iter().filter(|number| !there.contains(number)).collect();
        assert!(lost.is_empty(), "`now` names exercises that aren't there: {lost:?}");
        let in_order: Vec<usize> = (1..=chapters.len()).collect();
        assert_eq!(chapters, in_order);
    }
}
