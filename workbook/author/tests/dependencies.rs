//! The crates that a reader compiles: only the crates that the workbook needs, each with a reason.
//!
//! A reader waits for each crate before the first verdict, so a new crate has to be worth the wait.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use judging::workbook::Workbook;

/// The external crates for all steps and the library, each with its reason.
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

/// Lists the external crates that cargo compiles to run these packages, with each crate's versions.
fn compiled_for(packages: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let mut crates: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (name, version, is_ours) in tree(packages) {
        if !is_ours {
            crates.entry(name).or_default().insert(version);
        }
    }
    crates
}

/// Lists the crates that cargo compiles to run these packages, each with its name, its version, and
/// whether it's the workbook's own.
fn tree(packages: &[String]) -> Vec<(String, String, bool)> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--edges", "normal,build", "--prefix", "none"]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("run cargo tree");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree: {said}");
    let tree = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    // A line has the form `libc v0.2.191`, followed by a path if it's one of the workbook's crates.
    let lines = tree.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, version, rest @ ..] = words.as_slice() else { return None };
        let is_ours = rest.iter().any(|word| word.starts_with("(/"));
        Some(((*name).to_owned(), (*version).to_owned(), is_ours))
    });
    lines.collect()
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
fn whoever_builds_on_the_library_compiles_layers_and_neither_the_runner_nor_what_it_needs() {
    let compiled = tree(&["serve_files".to_owned()]);
    let ours = compiled.iter().filter(|(_, _, is_ours)| *is_ours);
    let mut ours: BTreeSet<&str> = ours.map(|(name, _, _)| name.as_str()).collect();
    let parts = parts();
    let layers = parts.iter().map(String::as_str);
    assert!(layers.chain(["serve_files"]).all(|name| ours.remove(name)), "{compiled:?}");
    assert!(ours.is_empty(), "{ours:?}");
    for runners in ["inotify", "signal-hook", "similar", "textwrap", "tinyjson", "toml"] {
        assert!(compiled.iter().all(|(name, _, _)| name != runners), "{runners}");
    }
}

#[test]
fn a_reader_compiles_no_crate_in_two_versions() {
    let mut parts = parts();
    parts.extend(["serve_files", "broken_servers"].map(str::to_owned));
    let twice = compiled_for(&parts).into_iter().filter(|(_, versions)| versions.len() > 1);
    let twice: Vec<_> = twice.collect();
    assert!(twice.is_empty(), "{twice:?}");
}
