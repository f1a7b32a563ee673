//! Migrating a notebook from edition 1 of the workbook: the fixture's notebook, as that edition
//! created it.

use std::fs;
use std::path::PathBuf;

use crate::copy::{Workbook, copy_dir};
use crate::notebook::contents;

const NEWER: &str = "This workbook is newer than your notebook";

/// A copy of the workbook with the old notebook, in which nothing is written yet.
fn begun() -> (Workbook, PathBuf) {
    begun_in(Workbook::fresh())
}

fn begun_in(workbook: Workbook) -> (Workbook, PathBuf) {
    let fixture =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixture/notebook_of_edition_1");
    copy_dir(&fixture, &workbook.root.join("work"));
    let before = workbook.root.join("work-before");
    (workbook, before)
}

#[test]
fn all_bodies_are_green_in_a_new_notebook_and_the_old_one_stands_beside_it() {
    let (workbook, before) = begun();
    workbook.solve_double();
    // A body with a function, a method, an import and a file of the reader's own.
    let body = "let lines: VecDeque<String> = names.into_iter().map(|name| self.line(name)).collect();\n        \
                lines.into_iter().collect()";
    workbook.write_body("src/greeting.rs", body);
    let file = workbook.page("src/greeting.rs");
    let text = fs::read_to_string(&file).expect("read");
    let (head, rest) = text.split_once("use std::fmt::Write;").expect("an import");
    let (rest, end) = rest.split_once("    // ANCHOR_END: greet\n}\n").expect("the end");
    let own = "    // ANCHOR_END: greet\n\n    /// A line of mine.\n    fn line(&self, name: &str) -> \
               String {\n        crate::ends::with_an_end(greeted(self.word, name))\n    }\n}\n\n\
               fn greeted(word: &str, name: &str) -> String {\n    format!(\"{word}, {}\", polite(name))\n}\n";
    let imports = "use std::collections::VecDeque;\nuse std::fmt::Write;";
    fs::write(&file, format!("{head}{imports}{rest}{own}{end}")).expect("write");
    let ends = "pub(crate) fn with_an_end(line: String) -> String {\n    line + \"\\n\"\n}\n";
    fs::write(workbook.page("src/ends.rs"), ends).expect("write");
    let lib = fs::read_to_string(workbook.page("src/lib.rs")).expect("read");
    fs::write(workbook.page("src/lib.rs"), lib + "mod ends;\n").expect("write");
    let work = workbook.root.join("work");
    fs::write(work.join("predictions.txt"), "mine\n").expect("write");
    fs::create_dir_all(work.join("notes/deep")).expect("make it");
    fs::write(work.join("notes/deep/a.txt"), "mine\n").expect("write");
    let old = contents(&work);

    let ran = workbook.run(&[]);
    assert!(ran.out.contains("All green"), "{ran:?}");
    assert_eq!(ran.err.matches(NEWER).count(), 1, "{ran:?}");
    let said = ran.err.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(said.contains("The old notebook is in work-before, unchanged."), "{ran:?}");
    let moved = contents(&before);
    let moved =
        moved.iter().map(|(file, bytes)| (file.strip_prefix(&before).expect("below"), bytes));
    let old = old.iter().map(|(file, bytes)| (file.strip_prefix(&work).expect("below"), bytes));
    assert!(moved.eq(old), "the old notebook has changed");
    for file in ["predictions.txt", "notes/deep/a.txt"] {
        assert_eq!(fs::read_to_string(work.join(file)).expect("read"), "mine\n");
    }
    let again = workbook.run(&[]);
    assert!(again.out.contains("All green") && !again.err.contains(NEWER), "{again:?}");
}

#[test]
fn with_half_of_the_bodies_the_other_half_is_still_to_write() {
    let (workbook, before) = begun();
    workbook.solve_double();
    // As if the exercise had had another number then.
    let file = workbook.page("src/greeting.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("exercise 90.2: Greet everybody.", "exercise 90.1: Greet."))
        .expect("write");
    // The remains of an interrupted attempt.
    fs::create_dir_all(workbook.root.join("work-new/step90_fixture")).expect("make it");
    let map = workbook.cargo_in(".", &["run", "--quiet"]);
    assert!(map.err.contains(NEWER), "{map:?}");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✓ 90.1 double"), "{ran:?}");
    assert!(ran.out.contains("✗ 90.2 greet") && ran.out.contains("not written"), "{ran:?}");
    let text = fs::read_to_string(&file).expect("read");
    assert!(text.contains("exercise 90.2: Greet everybody."), "{text}");
    assert!(before.join("step90_fixture/src/numbers/mod.rs").is_file());
    assert!(!workbook.root.join("work-new").exists());
}

#[test]
fn a_layer_that_was_the_readers_stays_theirs() {
    let (workbook, _) = begun_in(Workbook::with_layers());
    workbook.solve_double();
    workbook.solve_greet();
    let manifest = workbook.root.join("work/Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("read");
    let own = "[workspace.dependencies]\nstep90_fixture = { path = \"step90_fixture\" }\n";
    fs::write(&manifest, text.replacen("[workspace.dependencies]\n", own, 1)).expect("write");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("All green") && ran.err.contains(NEWER), "{ran:?}");
    let text = fs::read_to_string(&manifest).expect("read");
    assert!(text.contains("\nstep90_fixture = { path = \"step90_fixture\","), "{text}");
}

#[test]
fn a_body_that_is_no_longer_asked_for_is_kept_and_named_and_takes_no_green_away() {
    let (workbook, before) = begun();
    workbook.solve_double();
    // A helper that the older workbook had beside the body and that this one doesn't have.
    workbook.write_body("src/greeting.rs", "an_old_helper(self.word)");
    let file = workbook.page("src/greeting.rs");
    let text = fs::read_to_string(&file).expect("read");
    let old = "\nfn an_old_helper(word: &str) -> crate::OldType {\n    word.into()\n}\n\n\
               // ANCHOR: shout\n/// Shouts.\npub fn shout(word: &str) -> String {\n    \
               word.to_uppercase()\n}\n// ANCHOR_END: shout\n";
    let text = text.replacen("use ", "use crate::old::{Greeter, OldType};\nuse ", 1);
    fs::write(&file, text + old).expect("write");

    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✓ 90.1 double"), "{ran:?}");
    assert!(ran.out.contains("✗ 90.2 greet                   not written"), "{ran:?}");
    let said = ran.err.split_whitespace().collect::<Vec<&str>>().join(" ");
    for told in [
        "- 90.3 shout is gone; its idea is in 90.2 now. Your body is in \
         work/kept/step90_fixture/shout.rs.",
        "- 90.2 greet doesn't compile on the new page with your body. Your body is in \
         work/kept/step90_fixture/greet.rs.",
    ] {
        assert!(said.contains(told), "{told}\n{said}");
    }
    let kept = |name: &str| {
        let file = workbook.root.join(format!("work/kept/step90_fixture/{name}.rs"));
        fs::read_to_string(file).expect("what was kept")
    };
    assert!(kept("shout").contains("word.to_uppercase()"));
    assert!(kept("greet").contains("an_old_helper(self.word)"));
    let text = fs::read_to_string(&file).expect("read");
    assert!(!text.contains("an_old_helper"), "{text}");
    assert!(before.join("step90_fixture/src/greeting.rs").is_file());
}

#[test]
fn what_was_given_of_an_exercise_that_is_gone_is_not_kept() {
    let (workbook, _) = begun();
    workbook.solve_double();
    let file = workbook.page("src/greeting.rs");
    let text = fs::read_to_string(&file).expect("read");
    let old = "\n// ANCHOR: shout\nfn shout() -> u8 {\n    1\n}\n// ANCHOR_END: shout\n";
    fs::write(&file, text + old).expect("write");
    fs::create_dir_all(workbook.root.join("work/.state")).expect("make it");
    fs::write(workbook.root.join("work/.state/path"), "path all\nfile \ngiven 90.3\n")
        .expect("write");
    let ran = workbook.run(&[]);
    assert!(ran.err.contains(NEWER) && !ran.err.contains("90.3"), "{ran:?}");
    assert!(!workbook.root.join("work/kept").exists());
}
