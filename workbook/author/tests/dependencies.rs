//! What a reader compiles: the crates that it needs, each with its reason, and no other.
//!
//! A reader waits for each of them before the first verdict. A crate that's new here has to be worth that.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use judging::workbook::Workbook;

/// The crates that aren't the workbook's own, for all steps and the library.
const NEEDED: [(&str, &str); 21] = [
    ("anyhow", "errors of scenes, trials and the runner, with what was tried"),
    ("bitflags", "of rustix and inotify: sets of flags"),
    ("errno", "of signal-hook: errno"),
    ("fastrand", "the random programs of trials"),
    ("inotify", "watch hears when a page is saved"),
    ("inotify-sys", "of inotify: the system calls"),
    ("lexopt", "the words of the command line"),
    ("libc", "the system calls that the steps make themselves"),
    ("linux-raw-sys", "of rustix: the kernel's numbers"),
    ("memchr", "the end of a line in a stream's buffer"),
    ("rustix", "system calls of the judge and of scenes, without unsafe"),
    ("serde_spanned", "of toml: where a value stands"),
    ("signal-hook", "what the runner started ends with Ctrl-C"),
    ("signal-hook-registry", "of signal-hook: the handlers"),
    ("similar", "what was expected next to what came"),
    ("textwrap", "prose at the terminal's width"),
    ("tinyjson", "what cargo says about compiling a page, and what grade prints"),
    ("toml", "exercises, paths, and the notebook's manifests"),
    ("toml_datetime", "of toml: dates"),
    ("toml_parser", "of toml: the grammar"),
    ("winnow", "of toml: parts of parsers"),
];

/// Lists what cargo compiles to run these packages: the versions of each crate that isn't ours.
fn compiled_for(packages: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--edges", "normal,build", "--prefix", "none"]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("run cargo tree");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree: {said}");
    let tree = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    let mut crates: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    // A line is `libc v0.2.191`, and has a path behind that for a crate of the workbook.
    for words in tree.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
        if let [name, version, rest @ ..] = words.as_slice()
            && !rest.iter().any(|word| word.starts_with("(/"))
        {
            crates.entry((*name).to_owned()).or_default().insert((*version).to_owned());
        }
    }
    crates
}

fn parts() -> Vec<String> {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).expect("find the workbook");
    workbook.steps().expect("list the steps")
}

#[test]
fn a_reader_compiles_the_crates_that_the_workbook_needs_and_no_other() {
    let compiled: BTreeSet<String> = compiled_for(&parts()).into_keys().collect();
    let needed: BTreeSet<String> = NEEDED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let new: Vec<_> = compiled.difference(&needed).collect();
    let gone: Vec<_> = needed.difference(&compiled).collect();
    assert!(new.is_empty() && gone.is_empty(), "without a reason here: {new:?}; gone: {gone:?}");
}

#[test]
fn the_first_step_compiles_nothing_that_only_a_later_one_needs() {
    let first = compiled_for(&parts()[..1]);
    let later: Vec<_> = NEEDED.iter().filter(|(name, _)| !first.contains_key(*name)).collect();
    assert_eq!(later, [&("memchr", "the end of a line in a stream's buffer")]);
}

#[test]
fn a_reader_compiles_no_crate_in_two_versions() {
    let mut parts = parts();
    parts.extend(["serve_files", "broken_servers"].map(str::to_owned));
    let twice = compiled_for(&parts).into_iter().filter(|(_, versions)| versions.len() > 1);
    let twice: Vec<_> = twice.collect();
    assert!(twice.is_empty(), "{twice:?}");
}
