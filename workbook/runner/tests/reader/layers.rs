//! The reader's own layers under the later steps: `use-mine`, `use-reference`, and what both
//! promise.

use std::fs;

use crate::copy::{ABOVE, Ran, STEP, TOP, Workbook};

fn workbook() -> Workbook {
    Workbook::with_layers()
}

fn root(workbook: &Workbook, words: &[&str]) -> Ran {
    workbook.cargo_in(".", &[&["run", "--quiet", "-p", "runner", "--"], words].concat())
}

fn step(workbook: &Workbook, step: &str, words: &[&str]) -> Ran {
    workbook.cargo_in(".", &[&["run", "--quiet", "-p", step, "--"], words].concat())
}

fn manifest(workbook: &Workbook) -> String {
    fs::read_to_string(workbook.root.join("work/Cargo.toml")).expect("read")
}

/// Makes the reader's `double` triple its argument, so that we can distinguish it from the
/// reference's.
fn triple(workbook: &Workbook) {
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("(number + number).0", "(number + number + number).0"))
        .expect("write");
}

#[test]
fn complete_layers_are_switched_there_and_back_and_the_rest_is_explained() {
    let workbook = workbook();
    assert!(root(&workbook, &["use-mine"]).err.contains("you have no notebook yet"));
    workbook.solve(STEP);
    triple(&workbook);
    step(&workbook, ABOVE, &[]);
    let own_comment = "# My own words.\n";
    fs::write(workbook.root.join("work/Cargo.toml"), own_comment.to_owned() + &manifest(&workbook))
        .expect("write");
    let before = manifest(&workbook);

    let switched = root(&workbook, &["use-mine"]);
    assert_eq!(switched.code, Some(0), "{switched:?}");
    for line in [
        "✓ step90_fixture: yours from now on\n",
        "· step91_above: the reference's, because your page has 1 `todo!` left\n",
        "work/Cargo.toml: your pages build on your 90 and on the reference's 91.\n",
        "Programs for your layers, with `cargo run -- run-mine`: serve_files",
    ] {
        assert!(switched.out.contains(line), "{line}{}", switched.out);
    }
    let own = "\n# To use the reference instead, set the path to \"../step90_fixture\".\n\
               step90_fixture = { path = \"step90_fixture\", default-features = false }\n";
    assert!(manifest(&workbook).contains(own), "{}", manifest(&workbook));

    workbook.solve(ABOVE);
    let played = step(&workbook, ABOVE, &["play", "four_times"]);
    assert_eq!(played.out, "27\n", "{played:?}");
    assert!(played.err.starts_with("your step 91 on your 90, not judged"), "{played:?}");

    let named = root(&workbook, &["use-mine", "92"]);
    assert_eq!(named.code, Some(2), "{named:?}");
    assert_eq!(root(&workbook, &["use-reference", "step90"]).code, Some(0));
    assert_eq!(manifest(&workbook), before);
    assert_eq!(step(&workbook, ABOVE, &["play", "four_times"]).out, "12\n");
}

#[test]
fn a_layer_that_does_not_compile_is_not_switched_and_is_named_if_it_was() {
    let workbook = workbook();
    workbook.solve(STEP);
    workbook.solve(ABOVE);
    assert_eq!(root(&workbook, &["use-mine", "90"]).code, Some(0));
    let file = workbook.page("src/lib.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text + "fn broken() -> u8 {}\n").expect("write");
    let refused = root(&workbook, &["use-mine", "90", "91"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let said = refused.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("· step90_fixture: already yours, although it doesn't compile"),
        "{said}"
    );
    let why = "can't be built until work/step90_fixture compiles";
    assert!(said.contains(&format!("the reference's, because your page {why}")), "{said}");

    let judged = step(&workbook, ABOVE, &[]);
    assert!(judged.err.contains("--> work/step90_fixture/src/lib.rs:"), "{judged:?}");
    let said = judged.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "work/step90_fixture doesn't compile, and step91_above builds on it.";
    assert!(said.starts_with(sentence), "{said}");
    assert!(said.ends_with("cargo run -- use-reference step90_fixture"), "{said}");
}

#[test]
fn if_a_reference_does_not_compile_on_the_readers_layer_that_layer_is_named() {
    let workbook = workbook();
    workbook.solve(STEP);
    workbook.solve(TOP);
    assert_eq!(root(&workbook, &["use-mine", "90"]).code, Some(0));
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("pub fn double", "pub fn twice")).expect("write");
    let judged = step(&workbook, TOP, &[]);
    let said = judged.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "The reference's step91_above on your 90 doesn't compile, and step92_top builds \
                    on it. To use the reference's 90 instead: ";
    assert!(said.starts_with(sentence), "{said}");
    assert!(said.ends_with("cargo run -- use-reference step90_fixture"), "{said}");
    let played = step(&workbook, TOP, &["play", "an_evening"]);
    let whose = "your page of step 92 can't be built; this is the reference\n";
    assert!(played.err.starts_with(whose), "{played:?}");
    assert_eq!(root(&workbook, &["use-reference", "step90_fixture"]).code, Some(0));
    assert!(step(&workbook, TOP, &[]).out.contains("All green"));
}

#[test]
fn a_reference_above_a_layer_of_the_readers_builds_on_that_layer() {
    let workbook = workbook();
    workbook.solve(STEP);
    triple(&workbook);
    workbook.solve(TOP);
    assert_eq!(root(&workbook, &["use-mine", "90"]).code, Some(0));
    for dir in [".", "work"] {
        let words = ["run", "--quiet", "-p", TOP, "--", "play", "an_evening"];
        let played = workbook.cargo_in(dir, &words);
        assert_eq!(played.out, "Good evening, dear Ann\n9\n", "{played:?}");
        let whose = "your step 92 on your 90 and the reference's 91";
        assert!(played.err.starts_with(whose), "{played:?}");
    }
}

#[test]
fn a_manifest_that_is_made_again_obeys_the_choice_even_one_made_by_hand() {
    let workbook = workbook();
    workbook.solve(STEP);
    workbook.solve(ABOVE);
    let file = workbook.root.join("work/Cargo.toml");
    // As the comment in the manifest describes it.
    let comment = "# To use your own layer instead, set the path to \"step90_fixture\".\n";
    let text = manifest(&workbook);
    let (before, line_and_after) = text.split_once(comment).expect("the comment");
    let reference = "path = \"../step90_fixture\"";
    assert!(line_and_after.contains(reference), "{line_and_after}");
    let by_hand = line_and_after.replacen(reference, "path = \"step90_fixture\"", 1);
    let by_hand = format!("{before}{comment}{by_hand}");
    fs::write(&file, &by_hand).expect("write");
    step(&workbook, ABOVE, &[]);
    fs::remove_file(&file).expect("remove");
    let judged = step(&workbook, ABOVE, &[]);
    assert!(judged.out.contains("Cargo.toml was missing"), "{judged:?}");
    assert!(
        manifest(&workbook).contains(
            "\nstep90_fixture = { path = \"step90_fixture\", default-features = false }\n"
        )
    );
}

#[test]
fn with_every_layer_the_readers_each_place_runs_the_page_and_the_loop_is_theirs() {
    let workbook = workbook();
    for package in [STEP, ABOVE, TOP] {
        workbook.solve(package);
    }
    let first = step(&workbook, TOP, &[]);
    assert!(first.out.ends_with("Next: cargo run -p step90_fixture\n"), "{first:?}");
    step(&workbook, STEP, &[]);
    let second = step(&workbook, ABOVE, &[]);
    let said = second.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("the reference's layers: 90 and 91."), "{said}");
    assert!(said.ends_with("cargo run -- use-mine"), "{said}");
    assert!(!root(&workbook, &[]).out.contains("the whole loop is yours"));
    assert_eq!(root(&workbook, &["use-mine"]).code, Some(0));
    assert!(root(&workbook, &[]).out.contains("the whole loop is yours"));
    assert!(step(&workbook, TOP, &[]).out.contains("the whole loop is yours.\n"));
    let exercises = workbook.root.join(STEP).join("exercises.toml");
    let text = fs::read_to_string(&exercises).expect("read");
    let optional = text.replace("name = \"greet\"\n", "name = \"greet\"\noptional = true\n");
    fs::write(&exercises, optional).expect("write");
    let said = root(&workbook, &[]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let ours = "the whole loop is yours, except for the optional 90.2, which has our body.";
    assert!(said.contains(ours), "{said}");
    fs::write(&exercises, text).expect("write");

    // The nested cargo mustn't put the reference's program in the place of the page's program.
    for dir in [".", "work", "work/step90_fixture/src"] {
        for _ in 0..2 {
            let words = ["run", "--quiet", "-p", TOP, "--", "play", "an_evening"];
            let played = workbook.cargo_in(dir, &words);
            assert_eq!(played.code, Some(0), "{played:?}");
            assert!(played.err.starts_with("your step 92 on your 90 and 91\n"), "{played:?}");
        }
    }
}

#[test]
fn inside_the_notebook_the_next_step_is_begun_from_the_root() {
    let workbook = workbook();
    workbook.solve(STEP);
    let judged = workbook.cargo_in("work", &["run", "--quiet", "-p", STEP]);
    assert!(judged.out.ends_with("Next: cd .. && cargo run -p step91_above\n"), "{judged:?}");
    let map = workbook.cargo_in("work", &["run", "--quiet"]);
    assert_eq!(map.code, Some(0), "{map:?}");
    for text in
        ["Next:  cd .. && cargo run -p step91_above\n", "cd .. && cargo run -p book -- serve"]
    {
        assert!(map.out.contains(text), "{text}\n{map:?}");
    }
}

#[test]
fn a_fault_in_a_layer_of_the_readers_own_is_reported_there() {
    let workbook = workbook();
    workbook.solve(STEP);
    triple(&workbook);
    step(&workbook, ABOVE, &[]);
    workbook.solve(ABOVE);
    assert_eq!(step(&workbook, ABOVE, &[]).code, Some(0), "green on the reference's layer");
    assert_eq!(root(&workbook, &["use-mine", "90"]).code, Some(0));
    let judged = step(&workbook, ABOVE, &[]);
    assert_eq!(judged.code, Some(1), "{judged:?}");
    let said = judged.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("in your step90_fixture or in a layer above it:"), "{said}");
}

#[test]
fn a_program_of_the_workbook_runs_on_the_readers_layers() {
    let workbook = workbook();
    let program = workbook.root.join("program90");
    fs::create_dir_all(program.join("src")).expect("make");
    let manifest = "[package]\nname = \"program90\"\nversion = \"0.1.0\"\n\n[dependencies]\n\
                    step90_fixture.workspace = true\nstep91_above = { workspace = true }\n";
    fs::write(program.join("Cargo.toml"), manifest).expect("write");
    let text = "fn main() {\n    let words: Vec<String> = std::env::args().skip(1).collect();\n    \
                println!(\"{} {words:?}\", step91_above::quadruple(3));\n}\n";
    fs::write(program.join("src/main.rs"), text).expect("write");
    let run = |words: &[&str]| root(&workbook, &[&["run-mine", "program90"], words].concat());
    assert!(run(&[]).err.contains("you have no notebook yet"));

    workbook.solve(STEP);
    triple(&workbook);
    step(&workbook, ABOVE, &[]);
    let on_reference = run(&["--", "a", "b"]);
    assert_eq!(on_reference.out, "12 [\"a\", \"b\"]\n", "{on_reference:?}");
    assert!(
        on_reference.err.contains("program90 on the reference's 90 and 91\n"),
        "{on_reference:?}"
    );
    assert_eq!(root(&workbook, &["use-mine", "90"]).code, Some(0));
    // The reference's 91, compiled on the reader's 90.
    let on_yours = run(&[]);
    assert_eq!(on_yours.out, "27 []\n", "{on_yours:?}");
    assert!(on_yours.err.contains("program90 on your 90 and the reference's 91\n"), "{on_yours:?}");

    let unknown = root(&workbook, &["run-mine", "program91"]);
    assert!(unknown.err.contains("the workbook has no package program91"), "{unknown:?}");
    assert_eq!(root(&workbook, &["run-mine"]).code, Some(2));
    fs::remove_dir_all(program).expect("remove");
}

#[test]
fn a_paths_end_asks_for_the_readers_layers_until_they_are_in_use() {
    let workbook = workbook();
    let path =
        "[[path]]\nname = 'low'\nabout = 'little'\nexercises = ['step90']\nends = 'Run it.'\n";
    workbook.write_book("paths.toml", path);
    assert_eq!(root(&workbook, &["path", "low"]).code, Some(0));
    workbook.solve(STEP);
    let end = |ran: Ran| {
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        said.split_once("`low` is green. ").expect(&said).1.to_owned()
    };
    let first = "Put your own layers under the later steps: `cargo run -- use-mine`. Run it.";
    assert!(end(step(&workbook, STEP, &[])).starts_with(first));
    assert!(end(root(&workbook, &[])).starts_with(first));
    assert_eq!(root(&workbook, &["use-mine"]).code, Some(0));
    assert!(end(root(&workbook, &[])).starts_with("Run it."));
    assert!(end(step(&workbook, STEP, &[])).starts_with("Run it."));
}
