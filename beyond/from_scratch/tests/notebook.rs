//! Tests the notebook's files that cargo reads for the loop: a change that gives the loop access to
//! another crate, or makes cargo build it differently, is refused, and a reader's other changes are
//! accepted. Also tests the verdict on a loop that differs from the contract.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::path::Path;

use judging::Step;
use judging::cargo::Messages;
use judging::judge::State;
use judging::notebook::Notebook;
use judging::stages::judge_stages;
use judging::workbook::Workbook;

/// Makes a notebook in a separate directory.
fn notebook(name: &str) -> (Notebook, Step) {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
    let step = author::described::step(&workbook, "from_scratch").unwrap();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("notebooks").join(name);
    let _ = fs::remove_dir_all(&dir);
    let notebook = Notebook { workbook, dir };
    notebook.open(&step).unwrap();
    (notebook, step)
}

/// Changes one of the notebook's files, opens the notebook, and changes the file back. Returns the
/// message for the reader if the notebook is refused.
fn told(
    (notebook, step): &(Notebook, Step),
    file: &str,
    change: impl Fn(&str) -> String,
) -> Option<String> {
    let file = notebook.dir.join(file);
    let before = fs::read_to_string(&file).ok();
    let after = change(before.as_deref().unwrap_or_default());
    assert_ne!(before.as_ref(), Some(&after), "nothing is changed");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, after).unwrap();
    let told = notebook.open(step).err().map(|why| format!("{why:#}"));
    match before {
        Some(text) => fs::write(&file, text).unwrap(),
        None => fs::remove_file(&file).unwrap(),
    }
    told
}

/// Replaces the lines that begin with these words.
fn with_line<'a>(begin: &'a str, line: &'a str) -> impl Fn(&str) -> String + 'a {
    move |text: &str| {
        let lines = text.lines().map(|it| if it.starts_with(begin) { line } else { it });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn with_more(more: &str) -> impl Fn(&str) -> String + '_ {
    move |text: &str| format!("{text}\n{more}\n")
}

#[track_caller]
fn assert_refused(told: Option<String>, file: &str, what: &str) {
    let told = told.expect("it isn't refused");
    let said = ["isn't as the workbook made it", "isn't one of the workbook's files"];
    assert!(told.contains(file) && said.iter().any(|it| told.contains(it)), "{told}");
    assert!(told.contains(what), "{told}");
}

#[test]
fn a_crate_that_the_workspace_offers_under_another_name_is_refused() {
    let notebook = notebook("renamed");
    let manifest = "Cargo.toml";
    let other = "libc = { package = \"fastrand\", version = \"2\" }";
    assert_refused(told(&notebook, manifest, with_line("libc =", other)), manifest, "`libc`");
    let step07 = "step01_fd = { package = \"step07_full_loop\", path = \"../step07_full_loop\" }";
    let told_of_it = told(&notebook, manifest, with_line("step01_fd =", step07));
    assert_refused(told_of_it, manifest, "`step01_fd`");
    let elsewhere = "step01_fd = { path = \"evil\" }";
    let told_of_it = told(&notebook, manifest, with_line("step01_fd =", elsewhere));
    assert_refused(told_of_it, manifest, "`step01_fd`");
}

#[test]
fn a_patch_and_another_profile_are_refused() {
    let notebook = notebook("patched");
    let manifest = "Cargo.toml";
    let patch = "[patch.crates-io]\nlibc = { path = \"evil\" }";
    assert_refused(told(&notebook, manifest, with_more(patch)), manifest, "`patch`");
    let aborts = with_line("[profile.dev]", "[profile.dev]\npanic = \"abort\"");
    assert_refused(told(&notebook, manifest, aborts), manifest, "`profile`");
}

#[test]
fn a_configuration_of_cargo_is_refused_wherever_it_stands() {
    let notebook = notebook("configured");
    let flags = "[build]\nrustflags = [\"--extern\", \"evil\"]";
    for file in [".cargo/config", "from_scratch/.cargo/config.toml", "from_scratch/.cargo/config"] {
        assert_refused(told(&notebook, file, with_more(flags)), file, "");
    }
    let file = ".cargo/config.toml";
    let patch = "[patch.crates-io]\nlibc = { path = \"evil\" }";
    assert_refused(told(&notebook, file, with_more(patch)), file, "");
    let why = told(&notebook, file, with_more("= what?")).unwrap();
    assert!(why.contains(file) && why.contains("TOML parse error"), "{why}");
}

#[test]
fn a_build_script_is_refused() {
    let notebook = notebook("built");
    let file = "from_scratch/build.rs";
    assert_refused(told(&notebook, file, with_more("fn main() {}")), file, "no build script");
}

#[test]
fn a_layer_of_the_readers_may_have_no_other_crates_than_ours_and_no_build_script() {
    let notebook = notebook("layers");
    let workbook = &notebook.0.workbook;
    let step = author::described::step(workbook, "step01_fd").unwrap();
    notebook.0.open(&step).unwrap();
    notebook.0.switch_layer("step01_fd", true).unwrap();
    notebook.0.open(&notebook.1).unwrap();
    let file = "step01_fd/Cargo.toml";
    let more = with_line("[dependencies]", "[dependencies]\nfastrand = \"2\"");
    assert_refused(told(&notebook, file, more), file, "`dependencies`");
    let file = "step01_fd/build.rs";
    assert_refused(told(&notebook, file, with_more("fn main() {}")), file, "no build script");
}

#[test]
fn comments_lints_and_the_order_of_lines_are_the_readers() {
    let notebook = notebook("commented");
    let lints = with_line("dead_code", "# What's unused is reported.");
    assert_eq!(told(&notebook, "Cargo.toml", lints), None);
    assert_eq!(told(&notebook, "Cargo.toml", with_more("# Mine.")), None);
    assert_eq!(told(&notebook, ".cargo/config.toml", with_more("# Mine.")), None);
}

#[test]
fn a_name_that_is_missing_is_not_written_and_one_that_differs_is_red() {
    const OTHERS: &str = "
        pub struct JoinHandle<T>(std::marker::PhantomData<T>);
        impl<T> Future for JoinHandle<T> {
            type Output = std::thread::Result<T>;
            fn poll(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Self::Output> {
                loop {}
            }
        }
        pub fn spawn<T: 'static>(_: impl Future<Output = T> + 'static) -> JoinHandle<T> { loop {} }
    ";
    let (notebook, step) = notebook("signatures");
    let told = |block_on: &str| {
        fs::write(notebook.dir.join("from_scratch/src/lib.rs"), format!("{OTHERS}{block_on}"))
            .unwrap();
        let (page, _) = notebook.open(&step).unwrap();
        let judgement = judge_stages(&page, Messages::Kept).unwrap().unwrap();
        (judgement.exercises[0].state, judgement.lacks.unwrap())
    };
    let wants = "Stage 1 needs `pub fn block_on<F: Future>(main: F) -> F::Output`";
    let (state, words) = told("");
    assert_eq!(state, State::NotWritten);
    assert!(
        words.starts_with(&format!("{wants}, which your src/lib.rs doesn't define.")),
        "{words}"
    );
    for other in [
        "pub fn block_on<F: Future>(_: F) -> Option<F::Output> { loop {} }",
        "fn block_on<F: Future>(_: F) -> F::Output { loop {} }",
    ] {
        let (state, words) = told(other);
        assert_eq!(state, State::Red, "{words}");
        assert!(words.starts_with(&format!("{wants}, but your declaration differs.")), "{words}");
    }
}

#[test]
fn a_nudge_names_a_check_of_its_stage_and_one_of_the_three_hints() {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
    let step = author::described::step(&workbook, "from_scratch").unwrap();
    for stage in step.exercises {
        for nudge in &stage.nudges {
            let is_judged_by_it = step.checks_of(stage).any(|check| check.name == nudge.at);
            assert!(is_judged_by_it, "{} has no {}", stage.number, nudge.at);
            let hints = ["Hint 1", "Hint 2", "Hint 3"];
            assert!(hints.iter().any(|it| nudge.hint.starts_with(it)), "{}", nudge.hint);
        }
    }
}
