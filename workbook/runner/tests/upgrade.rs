//! A notebook that the first edition made: opening it prints an explanation and changes nothing,
//! and upgrading it carries over what the reader wrote.

#[path = "common/copy.rs"]
mod copy;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use copy::{Ran, STEP, Workbook, copy_dir, ran};

/// Makes a copy of the workbook with a notebook of the first edition, in which `double` is written.
fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    for leftover in fs::read_dir(&workbook.root).expect("list the copy") {
        let path = leftover.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("work-")) {
            fs::remove_dir_all(path).expect("remove what an earlier test moved aside");
        }
    }
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture/first_edition/notebook");
    copy_dir(&fixture, &workbook.root.join("work"));
    workbook
}

fn root(workbook: &Workbook, words: &[&str]) -> Ran {
    let words = [&["run", "--quiet", "-p", "runner", "--"], words].concat();
    ran(workbook.cargo(&words).output().expect("run cargo"))
}

/// Returns every file below a directory, with its contents.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).expect("list") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("inside").to_owned();
                files.insert(name, fs::read(&path).expect("read"));
            }
        }
    }
    files
}

#[test]
fn opening_it_explains_and_changes_nothing() {
    let workbook = workbook();
    let work = workbook.root.join("work");
    let before = contents(&work);
    for words in [&[][..], &["hint"], &["list", "--json"], &["reset", "double", "--yes"]] {
        let ran = workbook.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{words:?}");
        for text in ["an earlier edition", "cargo run -- upgrade", "crate workbook → scene"] {
            assert!(ran.err.contains(text), "{words:?}: {}", ran.err);
        }
    }
    let map = root(&workbook, &[]);
    assert!(map.err.contains("cargo run -- upgrade"), "{map:?}");
    assert_eq!(contents(&work), before);
}

#[test]
fn upgrading_carries_over_what_was_written_and_keeps_the_old_notebook() {
    let workbook = workbook();
    let work = workbook.root.join("work");
    fs::write(work.join("notes.md"), "mine\n").expect("write");
    fs::create_dir_all(work.join(".git")).expect("make a directory");
    fs::write(work.join(".git/HEAD"), "ref: refs/heads/main\n").expect("write");
    fs::create_dir_all(work.join(".state/hints")).expect("make a directory");
    fs::write(work.join(".state/hints/greet"), "2\n").expect("write");
    let predicted = "step90_fixture small_numbers 2 right, 3 of 3 asked\n";
    fs::write(work.join("predictions.txt"), predicted).expect("write");
    // One layer is the reader's own.
    let manifest = fs::read_to_string(work.join("Cargo.toml")).expect("read");
    let own = format!("[workspace.dependencies]\n{STEP} = {{ path = \"{STEP}\" }}\n");
    fs::write(work.join("Cargo.toml"), manifest.replace("[workspace.dependencies]\n", &own))
        .expect("write");
    let mut before = contents(&work);

    let upgraded = root(&workbook, &["upgrade"]);
    assert_eq!(upgraded.code, Some(0), "{upgraded:?}");
    assert!(upgraded.out.contains("90.1 double: carried over."), "{}", upgraded.out);
    assert!(upgraded.out.contains("not begun: 90.2 greet"), "{}", upgraded.out);
    assert!(upgraded.out.contains("work-before-upgrade"), "{}", upgraded.out);

    // Git's directory moves to the new notebook; everything else stays in the old one.
    let head = work.join(".git/HEAD");
    assert_eq!(fs::read(head).ok(), before.remove(Path::new(".git/HEAD")));
    let aside = workbook.root.join("work-before-upgrade");
    assert_eq!(contents(&aside), before);
    assert_eq!(fs::read_to_string(work.join("notes.md")).expect("read"), "mine\n");
    let kept = fs::read_to_string(work.join("predictions.txt")).expect("the predictions");
    assert_eq!(kept, predicted);

    let judged = workbook.run(&[]);
    assert!(judged.out.contains("✓ 90.1 double"), "{judged:?}");
    assert!(judged.out.contains("✗ 90.2 greet"), "{judged:?}");
    assert!(workbook.run(&["hint"]).out.contains("hint 3 of 3"));
    assert_eq!(root(&workbook, &["upgrade"]).out, "Your notebook is up to date.\n");
}

#[test]
fn an_exercise_without_its_anchors_is_named_and_not_lost() {
    let workbook = workbook();
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("// ANCHOR", "// it was here")).expect("write");
    let upgraded = root(&workbook, &["upgrade"]);
    assert_eq!(upgraded.code, Some(0), "{upgraded:?}");
    let said = upgraded.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let old = format!("it's in work-before-upgrade/{STEP}/src/numbers/mod.rs.");
    assert!(said.contains("90.1 double: not carried over") && said.contains(&old), "{said}");
}

#[test]
fn an_interrupted_upgrade_leaves_the_notebook_as_it_was() {
    let workbook = workbook();
    let work = workbook.root.join("work");
    // The reference lacks one anchor of a pair, so no page can be made.
    let reference = workbook.root.join(STEP).join("src/greeting.rs");
    let text = fs::read_to_string(&reference).expect("read");
    fs::write(&reference, text.replace("// ANCHOR_END: greet", "")).expect("write");
    let before = contents(&work);
    let upgraded = root(&workbook, &["upgrade"]);
    assert_eq!(upgraded.code, Some(1), "{upgraded:?}");
    assert!(upgraded.err.contains("the upgrade isn't finished"), "{}", upgraded.err);
    assert_eq!(contents(&work), before);

    fs::write(&reference, text).expect("write");
    let upgraded = root(&workbook, &["upgrade"]);
    assert_eq!(upgraded.code, Some(0), "{upgraded:?}");
    assert!(upgraded.out.contains("I've removed its unfinished notebook"), "{}", upgraded.out);
    assert!(!workbook.root.join("work-upgraded").exists());
    assert!(workbook.run(&[]).out.contains("✓ 90.1 double"));
}

#[test]
fn an_upgrade_that_was_interrupted_between_its_moves_is_finished() {
    let workbook = workbook();
    let work = workbook.root.join("work");
    fs::create_dir_all(work.join(".git")).expect("make a directory");
    fs::write(work.join(".git/HEAD"), "ref: refs/heads/main\n").expect("write");
    assert_eq!(root(&workbook, &["upgrade"]).code, Some(0));
    // As it was before the second move.
    let aside = workbook.root.join("work-before-upgrade");
    let new = workbook.root.join("work-upgraded");
    fs::rename(&work, &new).expect("move");
    fs::rename(new.join(".git"), aside.join(".git")).expect("move");
    fs::write(new.join(".state/upgrade"), aside.display().to_string()).expect("write");

    let judged = workbook.run(&[]);
    assert_eq!(judged.code, Some(1));
    assert!(judged.err.contains("To finish it: cargo run -- upgrade"), "{judged:?}");
    assert!(!work.exists());
    let finished = root(&workbook, &["upgrade"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(work.join(".git/HEAD").exists() && !new.exists());
    assert_eq!(root(&workbook, &["upgrade"]).out, "Your notebook is up to date.\n");
    assert!(workbook.run(&[]).out.contains("✓ 90.1 double"));
}
