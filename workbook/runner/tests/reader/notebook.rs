//! A reader's work on a page: the right files are made and judged, and nothing that the reader
//! wrote is lost.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::copy::{STEP, Workbook, ran};

fn workbook() -> Workbook {
    Workbook::fresh()
}

#[test]
fn the_first_run_makes_the_page_and_says_what_to_write_and_what_judges_it() {
    let workbook = workbook();
    let ran = workbook.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for text in [
        "Your page for this step is ready: work/step90_fixture/src.",
        "✗ 90.1 double                  not written",
        "· 90.2 greet",
        "waits",
        "work/step90_fixture/src/numbers/mod.rs:9\n",
        "In the book: step90.html#exercise-90-1",
        "- scene small_numbers: What is twice two?",
        "- trial any_number: Any number is doubled.",
        "cargo run -p step90_fixture -- hint",
    ] {
        assert!(ran.out.contains(text), "{text}\n{}", ran.out);
    }
    assert!(!ran.out.contains("twice one is 2"), "no transcript: {}", ran.out);
    assert!(!ran.out.contains('\x1b'), "a pipe gets no colour");
    let starter = fs::read_to_string(workbook.page("src/numbers/mod.rs")).expect("read");
    assert!(starter.contains("todo!(\n        \"exercise 90.1"), "on several lines: {starter}");
    let compiled = workbook.root.join("work/target");
    assert!(!compiled.exists(), "nothing is written yet, so there was nothing to compile");
    let longest = ran.out.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{}", ran.out);
}

#[test]
fn each_exercise_turns_green_by_itself_and_the_last_one_ends_it() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.solve_double();
    let half = workbook.run(&[]);
    assert_eq!(half.code, Some(1));
    assert!(half.out.contains("✓ 90.1 double"), "{}", half.out);
    assert!(half.out.contains("✗ 90.2 greet"), "{}", half.out);
    workbook.solve_greet();
    let all = workbook.run(&[]);
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(all.out.contains("All green"), "{}", all.out);
}

#[test]
fn a_scene_that_no_exercise_names_is_judged_once_all_are_green() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.solve_double();
    workbook.write_body(
        "src/greeting.rs",
        "let line = |name| format!(\"{}, {}\\n\", self.word, polite(name));
         let text: String = names.into_iter().map(line).collect();
         if text.is_empty() { \"nobody\".to_owned() } else { text }",
    );
    let ran = workbook.run(&[]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("Every exercise is green, but"), "{}", ran.out);
    assert!(ran.out.contains("scene a_greeting_of_nobody"), "{}", ran.out);
}

#[test]
fn a_diff_compares_the_transcripts() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.write_body("src/numbers/mod.rs", "println!(\"here\"); number.wrapping_pow(2)");
    let ran = workbook.run(&[]);
    let diff = "  - twice one is 2\n  + twice one is 1\n    twice two is 4\n";
    assert!(ran.out.contains(diff), "{}", ran.out);
    assert!(ran.out.contains("your program also printed:\n  | here"), "{}", ran.out);
}

#[test]
fn on_sixty_columns_no_line_is_longer() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.write_body("src/numbers/mod.rs", "panic!(\"{number}\")");
    let mut command = workbook.command(&[]);
    let ran = ran(command.env("COLUMNS", "60").output().expect("run cargo"));
    let longest = ran.out.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(60), "{}", ran.out);
}

#[test]
fn a_page_that_does_not_compile_shows_rustc_s_own_words() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.write_body("src/numbers/mod.rs", "\"two\"");
    let ran = workbook.run(&[]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("error[E0308]: mismatched types"), "{}", ran.err);
    assert!(ran.err.contains("--> work/step90_fixture/src/numbers/mod.rs:10:"), "{}", ran.err);
    assert!(ran.out.contains("work/step90_fixture doesn't compile yet."), "{}", ran.out);
    let list = workbook.run(&["list", "--json"]);
    assert!(list.out.contains("\"does not compile\""), "{}", list.out);
}

#[test]
fn a_half_deleted_page_is_repaired_and_what_is_left_is_not_touched() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.solve_double();
    let mine = fs::read_to_string(workbook.page("src/numbers/mod.rs")).expect("read");
    for file in ["src/greeting.rs", "Cargo.toml", "../Cargo.lock", "../.cargo/config.toml"] {
        fs::remove_file(workbook.page(file)).expect("remove");
    }
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("src/greeting.rs was missing, so the workbook made"), "{ran:?}");
    assert!(ran.out.contains("✓ 90.1 double"), "{}", ran.out);
    let now = fs::read_to_string(workbook.page("src/numbers/mod.rs")).expect("read");
    assert_eq!(now, mine);
}

#[test]
fn a_notebook_that_cannot_be_written_is_explained() {
    let workbook = workbook();
    fs::write(workbook.root.join("work"), "a file, and no directory").expect("write");
    let blocked = workbook.run(&[]);
    assert_eq!(blocked.code, Some(1));
    assert!(blocked.err.contains("can't open the notebook in work"), "{}", blocked.err);
    assert_eq!(blocked.err.lines().count(), 1, "{}", blocked.err);

    fs::remove_file(workbook.root.join("work")).expect("remove");
    workbook.run(&[]);
    fs::remove_file(workbook.page("src/greeting.rs")).expect("remove");
    let locked = |mode| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(workbook.page("src"), permissions).expect("set permissions");
    };
    locked(0o555);
    let ran = workbook.run(&[]);
    locked(0o755);
    // Root can write to read-only files.
    if !workbook.page("src/greeting.rs").exists() {
        assert!(ran.err.contains("greeting.rs: Permission denied"), "{}", ran.err);
    }
}

#[test]
fn anchors_that_the_reader_deleted_cost_the_line_and_not_the_verdict() {
    let workbook = workbook();
    workbook.run(&[]);
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("// ANCHOR", "// what was here")).expect("write");
    let ran = workbook.run(&[]);
    let told = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let why =
        "numbers/mod.rs (the lines `// ANCHOR: double` and `// ANCHOR_END: double` are missing)";
    assert!(told.contains(why), "{}", ran.out);
    assert!(ran.out.contains("not written yet"), "{}", ran.out);
    let reset = workbook.run(&["reset", "double", "--yes"]);
    assert_eq!(reset.code, Some(1));
    assert!(reset.err.contains("the lines `// ANCHOR: double` and"), "{}", reset.err);
}

#[test]
fn what_keeps_a_body_from_being_found_is_named_and_no_solution_is_noted_as_given() {
    let workbook = workbook();
    workbook.run(&[]);
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    let end = "// ANCHOR_END: double";
    for (broken, why, compiles) in [
        (text.replace(end, &format!("fn more() {{}}\n{end}")), "two functions between", true),
        (text.replace(end, &format!("{end}\n{end}")), "the anchor `double` occurs twice", true),
        (text.replace("\n}\n", "\n"), "lacks its closing brace", false),
        (text.replace(end, ""), "has to come before the function", true),
    ] {
        assert_ne!(broken, text);
        fs::write(&file, &broken).expect("write");
        let judged = workbook.run(&[]).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!compiles || judged.contains(why), "{why}: {judged}");
        let given = workbook.run(&["reveal", "double", "--into-my-page", "--yes"]);
        assert!(given.code == Some(1) && given.err.contains(why), "{why}: {given:?}");
        assert_eq!(fs::read_to_string(&file).expect("read"), broken);
        assert!(!workbook.root.join("work/.state/path").exists(), "{why}");
    }
    // A path gives the exercise, but can't put our body into this page.
    let path = "[[path]]\nname = 'low'\nabout = 'little'\nexercises = ['90.2']\n";
    workbook.write_book("paths.toml", path);
    let words = ["run", "--quiet", "-p", "runner", "--", "path", "low"];
    let chosen = workbook.cargo_in(".", &words);
    assert!(chosen.code == Some(0) && !chosen.out.contains("Given"), "{chosen:?}");
}

#[test]
fn an_exercise_newer_than_the_page_is_told_and_put_aside() {
    let workbook = workbook();
    workbook.run(&[]);
    let old = "//! Greetings, as they were.\n";
    fs::write(workbook.page("src/greeting.rs"), old).expect("write");
    let ran = workbook.run(&[]);
    assert!(
        ran.out.contains("Your page has no exercise greet: the exercise was deleted there"),
        "{}",
        ran.out
    );
    let aside = workbook.root.join("work/.state/starter").join(STEP).join("greeting.rs");
    assert!(fs::read_to_string(aside).expect("read").contains("todo!(\"exercise 90.2"));
    let now = fs::read_to_string(workbook.page("src/greeting.rs")).expect("read");
    assert_eq!(now, old);
}

/// Returns every file below a directory, with its contents.
pub(crate) fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("list").map(|entry| entry.expect("an entry").path());
    let of_one = |path: PathBuf| {
        if path.is_dir() {
            return contents(&path);
        }
        let bytes = fs::read(&path).expect("read");
        BTreeMap::from([(path, bytes)])
    };
    entries.flat_map(of_one).collect()
}

#[test]
fn a_notebook_of_another_edition_is_explained_and_not_changed() {
    let workbook = workbook();
    workbook.run(&[]);
    let file = workbook.root.join("work/Cargo.toml");
    let text = fs::read_to_string(&file).expect("read");
    for (edition, found) in [
        ("edition = 0\n", "work/Cargo.toml says edition 0 of the workbook, but this is edition 3."),
        ("", "work/Cargo.toml doesn't say `edition = 3`, which the workbook needs."),
    ] {
        fs::write(&file, text.replace("edition = 3\n", edition)).expect("write");
        let before = contents(&workbook.root.join("work"));
        for words in [&[][..], &["hint"], &["list", "--json"], &["play", "small_numbers"]] {
            let ran = workbook.run(words);
            assert_eq!(ran.code, Some(1), "{words:?}");
            assert!(ran.err.contains(found), "{words:?}: {found}\n{}", ran.err);
            assert!(ran.err.contains("Move work to work-before, begin"), "{}", ran.err);
            let is_told = ran.out.starts_with(r#"{"format":1,"event":"error","words":"#);
            assert!(is_told || ran.out.is_empty(), "{}", ran.out);
            assert_eq!(is_told, words.contains(&"--json"));
        }
        assert_eq!(contents(&workbook.root.join("work")), before);
    }
    let map = workbook.cargo_in("work", &["run", "--quiet"]);
    assert!(map.err.contains("doesn't fit this workbook"), "{map:?}");
}

#[test]
fn reset_starts_over_and_keeps_what_it_replaces() {
    let workbook = workbook();
    workbook.run(&[]);
    let starter = fs::read_to_string(workbook.page("src/numbers/mod.rs")).expect("read");
    workbook.solve_double();
    let ran = workbook.run(&["reset", "90.1", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let now = fs::read_to_string(workbook.page("src/numbers/mod.rs")).expect("read");
    assert_eq!(now, starter);
    let kept = fs::read_dir(workbook.root.join("work/.state/replaced")).expect("list");
    let kept = kept.map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("read"));
    assert!(kept.collect::<String>().contains("number.wrapping_mul(2)"));
}

#[test]
fn inside_the_notebook_the_same_words_do_the_same() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.solve_double();
    workbook.solve_greet();
    let work = workbook.root.join("work");
    let judged = workbook.cargo(&["run", "--quiet", "-p", STEP]).current_dir(&work).output();
    let judged = ran(judged.expect("run cargo"));
    assert_eq!(judged.code, Some(0), "{judged:?}");
    let tested = workbook.cargo(&["test", "--quiet", "-p", STEP]).current_dir(&work).output();
    let tested = ran(tested.expect("run cargo"));
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert!(tested.out.contains("5 passed"), "{tested:?}");
}

#[test]
fn a_target_directory_of_the_reader_s_own_is_used_and_not_fought_over() {
    let workbook = workbook();
    let target = workbook.root.join("elsewhere");
    // The files are compiled already, as for most readers who have such a directory.
    let _ = fs::remove_file(&target);
    std::os::unix::fs::symlink(workbook.root.join("target"), &target).expect("link");
    for _ in 0..2 {
        let mut command = workbook.command(&[]);
        let judged = command.env("CARGO_TARGET_DIR", &target).output().expect("run cargo");
        let judged = ran(judged);
        assert_eq!(judged.code, Some(1));
        assert!(judged.out.contains("not written"), "{judged:?}");
        assert!(!workbook.root.join("work/target").exists());
    }
    // The page's program hasn't replaced the reference's.
    let mut play = workbook.command(&["play", "small_numbers"]);
    let played = play.env("CARGO_TARGET_DIR", &target).output().expect("run cargo");
    assert_eq!(ran(played).code, Some(0));
}

#[test]
fn a_body_missing_in_a_layer_below_is_not_this_exercise_s() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.write_body("src/numbers/mod.rs", "todo!(\"exercise 80.1: Count.\")");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✗ 90.1 double                  red"), "{}", ran.out);
    assert!(ran.out.contains("not written yet: exercise 80.1: Count."), "{}", ran.out);
}

#[test]
fn another_notebook_in_this_ones_place_is_judged_by_its_own_text_though_its_files_are_older() {
    let workbook = workbook();
    workbook.run(&[]);
    let file = workbook.page("src/numbers/mod.rs");
    let starter = fs::read_to_string(&file).expect("read");
    workbook.solve_double();
    assert!(workbook.run(&[]).out.contains("✓ 90.1 double"));
    // Leaves the files as unpacking an archive would: with new text and old times.
    fs::write(&file, starter).expect("write");
    for entry in fs::read_dir(workbook.page("src")).expect("list") {
        age(&entry.expect("an entry").path());
    }
    age(&file);
    let judged = workbook.run(&[]);
    assert!(judged.out.contains("✗ 90.1 double"), "{judged:?}");
}

/// Makes a file look a year old.
fn age(file: &Path) {
    let a_year = std::time::Duration::from_hours(365 * 24);
    let then = std::time::SystemTime::now() - a_year;
    let file = fs::File::open(file).expect("open");
    file.set_modified(then).expect("set the time");
}
