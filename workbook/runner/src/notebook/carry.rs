//! Carries what a reader wrote from an older notebook's page to a fresh one, exercise by exercise.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Notebook;
use super::edition::edition_of;
use super::page::{Page, read_sources};
use super::renames::{rename, since};
use super::source::Function;
use crate::Step;
use crate::cargo::{Built, Messages, build};
use crate::terminal::{Terminal, shown};
use crate::workbook::Workbook;
use exercises::Exercise;

/// Makes a page of this step in the notebook `new`, and fills it from the page in `old`. The
/// messages say `aside`, because the old notebook will be there when the reader looks for it.
pub(crate) fn carry_over(
    step: &Step,
    old: &Path,
    new: &Path,
    aside: &Path,
) -> anyhow::Result<ExitCode> {
    let workbook = Workbook::of(step.manifest_dir)?;
    let old = Notebook { workbook: workbook.clone(), dir: old.to_owned() };
    let old_page = OldPage {
        edition: edition_of(&old)?,
        package: step.package,
        files: read_sources(&old.page(step.package).join("src"))?,
        aside: aside.join(step.package).join("src"),
    };
    let (mut page, _) = Notebook { workbook, dir: new.to_owned() }.open(step)?;
    let terminal = Terminal::of_stdout();
    let mut not_begun = Vec::new();
    for (exercise, outcome) in old_page.carry_what_compiles(step, &mut page)? {
        let name = format!("{} {}", exercise.number, exercise.name);
        let line = match outcome {
            Outcome::NotBegun => {
                not_begun.push(name);
                continue;
            }
            outcome => format!("{name}: {}", outcome.sentence()),
        };
        terminal.print(&terminal.wrap_hanging("  ", "      ", &line));
    }
    if !not_begun.is_empty() {
        let line = format!("not begun: {}", not_begun.join(", "));
        terminal.print(&terminal.dim(&terminal.wrap_hanging("  ", "      ", &line)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A page of the older notebook.
struct OldPage {
    edition: u32,
    package: &'static str,
    /// Its files, relative to its `src/`.
    files: Vec<(PathBuf, String)>,
    /// The directory in which its `src/` will end up.
    aside: PathBuf,
}

/// The outcome for one exercise.
enum Outcome {
    NotBegun,
    Carried {
        /// The names in it that had to change, each with its new name.
        renamed: Vec<(&'static str, &'static str)>,
        /// The file with the old function, if its signature differs from the current one.
        had_another_signature: Option<PathBuf>,
    },
    /// It doesn't compile in the fresh page. Contains the file with the old function.
    DoesNotCompile(PathBuf),
    /// It wasn't found between its anchors. Contains the file that it's probably in.
    NotFound(PathBuf),
}

impl OldPage {
    /// Carries every exercise whose body compiles in the fresh page. One body that doesn't would
    /// keep the others from being judged, so its starter stays.
    fn carry_what_compiles(
        &self,
        step: &Step,
        page: &mut Page,
    ) -> anyhow::Result<Vec<(&'static Exercise, Outcome)>> {
        let mut outcomes = Vec::new();
        for exercise in step.exercises {
            let starter = page.body(exercise)?;
            let mut outcome = self.carry(exercise, page)?;
            if matches!(outcome, Outcome::Carried { .. }) && !compiles(page)? {
                page.set_body(exercise, &starter)?;
                let file = self.find(exercise).map(|(file, _)| self.aside.join(file));
                outcome = Outcome::DoesNotCompile(file.unwrap_or_else(|| self.aside.clone()));
            }
            outcomes.push((exercise, outcome));
        }
        Ok(outcomes)
    }

    fn carry(&self, exercise: &Exercise, page: &mut Page) -> anyhow::Result<Outcome> {
        if self.came_later(exercise) {
            return Ok(Outcome::NotBegun);
        }
        let Some((file, function)) = self.find(exercise) else {
            let file = self.likely_file(exercise, page)?;
            // An exercise whose file wasn't there either came with a later edition, too.
            return Ok(file.map_or(Outcome::NotBegun, Outcome::NotFound));
        };
        if function.is_not_written() {
            return Ok(Outcome::NotBegun);
        }
        let (body, renamed) = self.renamed(function.body());
        let (signature, _) = self.renamed(function.signature());
        let fresh = page.exercise(exercise)?;
        let now = Function::find(&page.file_of(fresh).text, &exercise.name)?;
        let differs = now.is_none_or(|now| words(now.signature()) != words(&signature));
        page.set_body(exercise, &body)?;
        let had_another_signature = differs.then(|| self.aside.join(file));
        Ok(Outcome::Carried { renamed, had_another_signature })
    }

    fn came_later(&self, exercise: &Exercise) -> bool {
        let mut exercises = since(self.edition, self.package).flat_map(|step| step.exercises);
        exercises.any(|names| *names == (&*exercise.name, &*exercise.name))
    }

    /// Finds an exercise by its current name, or by an earlier one.
    fn find(&self, exercise: &Exercise) -> Option<(&PathBuf, Function<'_>)> {
        self.names(exercise).into_iter().find_map(|name| {
            self.files.iter().find_map(|(file, text)| {
                let function = Function::find(text, name).ok()??;
                Some((file, function))
            })
        })
    }

    fn names<'a>(&self, exercise: &'a Exercise) -> Vec<&'a str> {
        let mut names = vec![&*exercise.name];
        let renames: Vec<_> = since(self.edition, self.package).collect();
        for (old, new) in renames.into_iter().rev().flat_map(|step| step.exercises) {
            if names.last() == Some(new) {
                names.push(old);
            }
        }
        names
    }

    /// Returns the old file that probably contains the exercise, by its earlier names and its
    /// current one, if there's such a file.
    fn likely_file(&self, exercise: &Exercise, page: &Page) -> anyhow::Result<Option<PathBuf>> {
        let solution = &page.exercise(exercise)?.solution.file;
        let src = page.notebook.workbook.step(self.package).join("src");
        let now = solution.strip_prefix(src)?;
        let pairs = since(self.edition, self.package).flat_map(|step| step.files);
        let earlier = pairs.filter(|(_, new)| Path::new(new) == now).map(|(old, _)| Path::new(old));
        let mut candidates = earlier.chain([now]);
        let is_there = |name: &&Path| self.files.iter().any(|(file, _)| file == name);
        let file = candidates.find(is_there);
        Ok(file.map(|file| self.aside.join(file)))
    }

    /// Replaces the names that have changed since the old edition, and returns the ones that it
    /// found.
    fn renamed(&self, code: &str) -> (String, Vec<(&'static str, &'static str)>) {
        let mut code = code.to_owned();
        let mut found = Vec::new();
        for &(old, new) in since(self.edition, self.package).flat_map(|step| step.code) {
            let (renamed, count) = rename(&code, old, new);
            code = renamed;
            if count > 0 {
                found.push((old, new));
            }
        }
        (code, found)
    }
}

/// Returns true if the page compiles, warnings or not.
fn compiles(page: &Page) -> anyhow::Result<bool> {
    Ok(matches!(build(page, Messages::Kept)?, Built::Program(..)))
}

/// Removes whitespace and commas from a signature, because a longer name can make rustfmt break it
/// into lines.
fn words(signature: &str) -> String {
    signature.chars().filter(|char| !char.is_whitespace() && *char != ',').collect()
}

impl Outcome {
    fn sentence(&self) -> String {
        match self {
            Outcome::NotBegun => "not begun".to_owned(),
            Outcome::DoesNotCompile(file) => format!(
                "not carried over, because it doesn't compile here: the code around it has \
                 changed, or it uses functions of your own. The exercise is a todo! again; what \
                 you wrote is in {}.",
                shown(file)
            ),
            Outcome::NotFound(file) => format!(
                "not carried over, because I can't find it between its ANCHOR lines. If you wrote \
                 it, it's in {}.",
                shown(file)
            ),
            Outcome::Carried { renamed, had_another_signature } => {
                let mut text = "carried over".to_owned();
                if !renamed.is_empty() {
                    let pairs = renamed.iter().map(|(old, new)| format!("{old} → {new}"));
                    text += &format!(", with {}", pairs.collect::<Vec<_>>().join(", "));
                }
                if let Some(file) = had_another_signature {
                    text += ". Its signature isn't the same as before; compare it with ";
                    text += &shown(file);
                }
                text + "."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exercise(number: &str, name: &str) -> Exercise {
        let text = format!(
            "[[exercise]]\nnumber = {number:?}\nname = {name:?}\ntask = \"t\"\nminutes = 1\n\
             scenes = []\nquestion = \"q\"\nmethod = \"m\"\n"
        );
        exercises::parse(&text).unwrap().remove(0)
    }

    /// Carries an exercise from a page of the first edition to a fresh one.
    fn carried(package: &'static str, exercise: Exercise) -> (Outcome, String) {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let runner = workbook.root.join("workbook/runner");
        let old = runner.join("tests/fixture/first_edition/notebook").join(package).join("src");
        let old_page =
            OldPage { edition: 1, package, files: read_sources(&old).unwrap(), aside: old };
        let dir = workbook.root.join("target/tmp/carried").join(package);
        let _ = std::fs::remove_dir_all(&dir);
        let exercises: &'static [Exercise] = vec![exercise].leak();
        let step = Step {
            package,
            title: "",
            manifest_dir: "",
            reference: Path::new(""),
            scenes: &[],
            keys: &[],
            trials: &[],
            exercises,
            has_server: false,
        };
        let (mut page, _) = Notebook { workbook, dir }.open(&step).unwrap();
        let outcome = old_page.carry(&exercises[0], &mut page).unwrap();
        let file = page.file_of(&page.exercises[0]);
        (
            outcome,
            Function::find(&file.text, &exercises[0].name).unwrap().unwrap().body().to_owned(),
        )
    }

    #[test]
    fn a_body_finds_its_exercise_in_a_renamed_file() {
        let (outcome, body) = carried("step01_fd", exercise("1.5", "read"));
        assert!(matches!(outcome, Outcome::Carried { .. }), "{}", outcome.sentence());
        assert!(body.contains("libc::read"), "{body}");
    }

    #[test]
    fn a_body_that_mentions_a_renamed_type_mentions_the_new_one() {
        let (outcome, body) = carried("step03_selector", exercise("3.3", "ready"));
        assert!(outcome.sentence().contains("Ready → ReadyEvent"), "{}", outcome.sentence());
        assert!(body.contains("ReadyEvent {") && !body.contains(" Ready {"), "{body}");
    }

    #[test]
    fn a_renamed_exercise_is_found_by_its_old_name() {
        let page = OldPage {
            edition: 1,
            package: "step06_tasks",
            files: vec![(
                PathBuf::from("ready_queue.rs"),
                "// ANCHOR: run_once\nfn run_once() {\n    1\n}\n// ANCHOR_END: run_once\n".into(),
            )],
            aside: PathBuf::new(),
        };
        let (_, function) = page.find(&exercise("6.1", "run_ready")).unwrap();
        assert_eq!(function.body(), "    1\n");
    }
}
