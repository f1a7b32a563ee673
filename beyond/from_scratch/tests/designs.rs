//! Proves that the judge of *From scratch* judges a loop by its behaviour: correct loops of any
//! design are green, and each wrong loop is refused at the stage whose promise it breaks.
//!
//! `designs/` contains correct loops as whole files. The reference, `src/lib.rs`, is one more, with
//! the name `reference`. `wrong/` contains patches to all of these. The head of a patch names the
//! design, the stage that refuses the loop, and some words of the verdict:
//!
//! ```text
//! design: slab_and_eventfd
//! stage: 2
//! says: has to be ended
//! ```
//!
//! `FROM_SCRATCH_ONLY` restricts both kinds to loops whose names begin with this word, or with any
//! of several words separated by commas. `FROM_SCRATCH_ROUNDS` repeats the correct loops.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "../../broken_servers/patched.rs"]
mod patched;
#[path = "support/workspace.rs"]
mod workspace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::{env, fs, thread};

use judging::Step;
use judging::step::Check;
use judging::verdict::{Effort, Verdict};
use judging::workbook::Workbook;

use patched::patched;
use workspace::Loop;

/// The number of loops that are judged at once. Some loops' scenes spend most of their time
/// waiting.
const AT_ONCE: usize = 4;
/// The maximum number of lines that a patch may add and remove, so that it makes one fault and not
/// a different design.
const MOST_LINES: usize = 20;

struct Wrong {
    name: String,
    /// The first stage that isn't green, counted from 1.
    stage: usize,
    says: String,
}

struct Proof {
    step: Step,
    designs: Vec<String>,
    wrong: Vec<Wrong>,
    programs: BTreeMap<String, PathBuf>,
}

/// All loops, after they've been built.
static PROOF: LazyLock<Proof> = LazyLock::new(|| {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
    let step = author::described::step(&workbook, "from_scratch").unwrap();
    let stages = step.exercises.len();
    let mut loops = Vec::new();
    let texts = designs();
    for (name, text) in &texts {
        loops.push(Loop { name: name.clone(), text: text.clone(), stages });
    }
    let mut wrong = Vec::new();
    for (name, patch) in files("wrong") {
        let field = |key: &str| {
            let found = patch.lines().find_map(|line| line.strip_prefix(key));
            found.unwrap_or_else(|| panic!("{name} doesn't name its `{key}`")).trim().to_owned()
        };
        let is_a_change = |line: &&str| line.starts_with(['+', '-']);
        let body = patch.lines().skip_while(|line| !line.starts_with("@@"));
        let changed = body.filter(is_a_change).count();
        assert!(changed <= MOST_LINES, "{name} changes {changed} lines");
        let design = field("design:");
        let text = texts.get(&design).unwrap_or_else(|| panic!("{name}: there's no `{design}`"));
        let text = patched(text, &patch).unwrap_or_else(|why| panic!("{name}: {why}"));
        let (stage, says) = (field("stage:").parse().unwrap(), field("says:"));
        loops.push(Loop { name: name.clone(), text, stages: stage });
        wrong.push(Wrong { name, stage, says });
    }
    let only = env::var("FROM_SCRATCH_ONLY").unwrap_or_default();
    let is_meant = |name: &str| only.split(',').any(|begins| name.starts_with(begins));
    loops.retain(|it| is_meant(&it.name));
    let designs = texts.into_keys().filter(|name| is_meant(name)).collect();
    wrong.retain(|it| is_meant(&it.name));
    let programs = workspace::build(&workbook.root, loops);
    Proof { step, designs, wrong, programs }
});

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Returns the correct loops by name.
fn designs() -> BTreeMap<String, String> {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let mut designs: BTreeMap<String, String> = files("designs").into_iter().collect();
    designs.insert("reference".to_owned(), fs::read_to_string(reference).unwrap());
    designs
}

/// Reads the files in a directory. Returns each file's name without its extension, and its text.
fn files(directory: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(dir().join(directory)).unwrap();
    let mut files: Vec<(String, String)> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

impl Proof {
    /// Lists the scenes and trials of a loop's first `stages` stages, each with its stage's number.
    fn checks(&self, stages: usize) -> Vec<(usize, Check)> {
        let stages = self.step.exercises.iter().zip(1..=stages);
        stages
            .flat_map(|(stage, number)| self.step.checks_of(stage).map(move |it| (number, it)))
            .collect()
    }

    fn verdict(&self, name: &str, check: Check) -> Verdict {
        let program = &self.programs[name];
        let verdict = check.of_a_program(&self.step, program, Effort::for_a_check());
        verdict.unwrap_or_else(|why| panic!("{name}, {}: {why:#}", check.short()))
    }

    /// Returns a complaint if a wrong loop isn't refused as it should be.
    fn complaint(&self, wrong: &Wrong) -> Option<String> {
        let Wrong { name, stage, says } = wrong;
        for (number, check) in self.checks(*stage) {
            let verdict = self.verdict(name, check);
            if verdict.is_green() {
                continue;
            }
            let told = told(&verdict);
            println!(
                "{number} {name}: {}: {}",
                check.name,
                told.lines().next().unwrap_or_default()
            );
            if number < *stage {
                return Some(format!("{name}: red in stage {number}:\n{told}"));
            }
            let is_said = told.contains(says.as_str());
            return (!is_said)
                .then(|| format!("{name}: `{says}` isn't in what it's told:\n{told}"));
        }
        Some(format!("{name}: stage {stage} is green"))
    }
}

/// Returns the verdict as a reader sees it: a sentence and the two transcripts.
fn told(verdict: &Verdict) -> String {
    format!(
        "{}; {}: {}\n--- expected\n{}\n--- yours\n{}\n",
        verdict.sentence(),
        verdict.check.short(),
        verdict.first_wrong_line(),
        verdict.expected,
        verdict.run.transcript
    )
}

/// Calls `f` for each item, several items at once, and returns the complaints.
fn complaints<T: Sync>(items: &[T], f: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let (next, complaints) = (Mutex::new(items.iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(item) = next.lock().unwrap().next() else { break };
                    if let Some(complaint) = f(item) {
                        complaints.lock().unwrap().push(complaint);
                    }
                }
            });
        }
    });
    complaints.into_inner().unwrap()
}

#[test]
fn a_right_loop_is_green_whatever_its_design() {
    let proof = &*PROOF;
    let rounds = env::var("FROM_SCRATCH_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let checks = proof.checks(proof.step.exercises.len());
    let mut runs = Vec::new();
    for _ in 0..rounds {
        for name in &proof.designs {
            runs.extend(checks.iter().map(|(stage, check)| (name, *stage, *check)));
        }
    }
    let wrong = complaints(&runs, |(name, stage, check)| {
        let verdict = proof.verdict(name, *check);
        (!verdict.is_green()).then(|| format!("{name}, stage {stage}: {}", told(&verdict)))
    });
    println!("{} designs, {} runs, {} not green", proof.designs.len(), runs.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_loop_is_refused_at_the_stage_whose_promise_it_breaks() {
    let proof = &*PROOF;
    let complaints = complaints(&proof.wrong, |wrong| proof.complaint(wrong));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
