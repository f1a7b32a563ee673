//! Watching: each save is judged, no matter how an editor saves, and a new save cancels the
//! judgement in progress.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{assert_ends, is_alive};
use crate::copy::Workbook;
use crate::terminal::pseudo_terminal;
use crate::watcher::{LIMIT, Watcher};
use kit::proc::Stat;
use rustix::process::Signal;
use rustix::termios::tcgetattr;

const FILE: &str = "src/numbers/mod.rs";
const RIGHT: &str = "number.wrapping_mul(2)";

fn workbook() -> Workbook {
    Workbook::fresh()
}

fn begin(workbook: &Workbook) -> Watcher {
    let watcher = Watcher::begin(workbook.command(&["watch"]));
    assert!(watcher.verdict().contains("✗ 90.1 double"));
    watcher
}

/// Returns the page's file with a different body.
fn with_body(workbook: &Workbook, body: &str) -> String {
    let text = fs::read_to_string(workbook.page(FILE)).expect("read the page");
    let (before, rest) = text.split_once("-> u32 {\n").expect("a function");
    let (_, after) = rest.split_once("\n}\n").expect("its end");
    format!("{before}-> u32 {{\n{body}\n}}\n{after}")
}

fn save(workbook: &Workbook, body: &str) {
    fs::write(workbook.page(FILE), with_body(workbook, body)).expect("save the page");
}

#[test]
fn each_save_is_judged_and_a_compiler_error_is_shown_like_any_verdict() {
    let workbook = workbook();
    let watcher = begin(&workbook);
    save(&workbook, "    \"two\"");
    let red = watcher.verdict_with("error[E0308]: mismatched types");
    assert!(red.contains("work/step90_fixture doesn't compile yet."), "{red}");
    save(&workbook, RIGHT);
    let green = watcher.verdict_with("✓ 90.1 double");
    assert!(!green.contains('\x1b'), "a pipe gets neither colour nor a cleared screen: {green}");
    watcher.end(Signal::INT);
}

#[test]
fn a_judge_that_its_page_has_stopped_ends_with_the_watch() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let workbook = workbook();
        let watcher = begin(&workbook);
        let stop = "let judge = std::os::unix::process::parent_id().to_string();
    loop { std::process::Command::new(\"kill\").args([\"-STOP\", &judge]).status().unwrap(); }";
        save(&workbook, stop);
        let deadline = Instant::now() + LIMIT;
        let is_stopped =
            |pid: &String| Stat::of(&Path::new("/proc").join(pid)).is_ok_and(Stat::is_stopped);
        while !watcher.children().iter().any(is_stopped) {
            assert!(Instant::now() < deadline, "no judge is stopped");
            std::thread::yield_now();
        }
        let below = watcher.descendants();
        assert!(below.len() > 1, "a judge and its scenes: {below:?}");
        assert_eq!(watcher.end(signal), Some(128 + signal.as_raw()));
        for process in &below {
            assert_ends(process);
        }
    }
}

#[test]
fn an_editor_can_save_by_renaming_or_by_deleting_first() {
    let workbook = workbook();
    let watcher = begin(&workbook);
    let file = workbook.page(FILE);
    let text = with_body(&workbook, RIGHT);

    // As Vim does with `backupcopy=no`: the file becomes the backup, and a new one takes its place.
    fs::rename(&file, file.with_extension("rs~")).expect("make a backup");
    fs::write(&file, &text).expect("write the new file");
    watcher.verdict_with("✓ 90.1 double");

    // As many other editors do: write a new file and rename it over the old one.
    let new = file.with_extension("rs.tmp");
    fs::write(&new, with_body(&workbook, "    7")).expect("write the new file");
    fs::rename(&new, &file).expect("rename it");
    watcher.verdict_with("✗ 90.1 double");

    fs::remove_file(&file).expect("delete the file");
    fs::write(&file, &text).expect("make it again");
    watcher.verdict_with("✓ 90.1 double");

    // A page can get new files.
    fs::create_dir(workbook.page("src/more")).expect("make a directory");
    fs::write(workbook.page("src/more/mod.rs"), "pub const TWO: u32 = 2;\n").expect("write");
    let lib = fs::read_to_string(workbook.page("src/lib.rs")).expect("read");
    fs::write(workbook.page("src/lib.rs"), lib + "pub mod more;\n").expect("write");
    save(&workbook, "    number.wrapping_mul(crate::more::THREE)");
    watcher.verdict_with("cannot find value `THREE`");
    fs::write(workbook.page("src/more/mod.rs"), "pub const THREE: u32 = 2;\n").expect("write");
    watcher.verdict_with("✓ 90.1 double");
    watcher.end(Signal::INT);
}

#[test]
fn a_new_save_ends_the_judgement_that_is_under_way() {
    let workbook = workbook();
    let watcher = begin(&workbook);
    let scenes = hangs(&workbook);
    save(&workbook, RIGHT);
    watcher.verdict_with("✓ 90.1 double");
    for scene in scenes {
        assert_ends(&scene);
    }
    watcher.end(Signal::INT);
}

#[test]
fn a_new_save_ends_the_compiler_that_is_under_way() {
    let workbook = workbook();
    let watcher = begin(&workbook);
    let compilers = compiles_forever(&workbook, &watcher);
    save(&workbook, RIGHT);
    watcher.verdict_with("✓ 90.1 double");
    for process in compilers {
        assert_ends(&process);
    }
    let compilers = compiles_forever(&workbook, &watcher);
    watcher.end(Signal::INT);
    for process in compilers {
        assert_ends(&process);
    }
}

#[test]
fn closed_standard_input_does_not_end_it() {
    let workbook = workbook();
    let command = workbook.command(&["watch"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" <&-", "sh"]).arg(command.get_program());
    shell.args(command.get_args()).current_dir(&workbook.root).env("COLUMNS", "80");
    let watcher = Watcher::begin(shell);
    assert!(watcher.verdict().contains("✗ 90.1 double"));
    save(&workbook, RIGHT);
    watcher.verdict_with("✓ 90.1 double");
    watcher.end(Signal::INT);
}

#[test]
fn a_notebook_that_is_moved_away_ends_it_with_the_reason() {
    let workbook = workbook();
    let watcher = begin(&workbook);
    let aside = workbook.root.join("work-aside");
    let _ = fs::remove_dir_all(&aside);
    fs::rename(workbook.root.join("work"), &aside).expect("move the notebook away");
    let (code, said) = watcher.wait();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("work/step90_fixture no longer exists: it was moved or deleted"),
        "{said}"
    );
    assert!(!workbook.root.join("work").exists(), "nothing is made in its place");
    fs::remove_dir_all(aside).expect("clean up");
}

#[test]
fn on_sixty_columns_no_line_is_longer() {
    let workbook = workbook();
    let mut command = workbook.command(&["watch"]);
    command.env("COLUMNS", "60");
    let watcher = Watcher::begin(command);
    let verdict = watcher.verdict();
    let longest = verdict.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(60), "{verdict}");
    watcher.end(Signal::INT);
}

#[test]
fn in_a_terminal_each_verdict_takes_the_place_of_the_one_before() {
    let workbook = workbook();
    let (keyboard, terminal) = pseudo_terminal();
    let before = tcgetattr(&terminal).expect("the terminal's settings");
    let mut command = workbook.command(&["watch"]);
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    let watcher =
        Watcher::in_a_terminal(command, terminal.try_clone().expect("duplicate"), keyboard);
    assert!(watcher.verdict().contains(CLEAR));
    save(&workbook, RIGHT);
    let verdict = watcher.verdict_with("✓ 90.1 double");
    let (first, second) = verdict.split_once(CLEAR).expect("a cleared screen");
    assert!(first.contains("judging …"), "the verdict before stays until then: {first}");
    assert!(!second.contains('\x1b'), "NO_COLOR is respected: {second}");
    watcher.end(Signal::INT);
    let after = tcgetattr(&terminal).expect("the terminal's settings");
    assert_eq!(after.local_modes, before.local_modes, "the terminal is as it was");
}

const CLEAR: &str = "\x1b[H\x1b[J";

/// Saves a body that never returns and returns the scenes that hang in it.
fn hangs(workbook: &Workbook) -> Vec<String> {
    let dir = workbook.root.join("hanging");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir(&dir).expect("make a directory");
    save(
        workbook,
        &format!(
            "    let _ = std::fs::write(format!(\"{}/{{}}\", std::process::id()), \"\");\n    \
             loop {{ std::thread::sleep(std::time::Duration::from_secs(u64::from(number) + 9)) }}",
            dir.display()
        ),
    );
    let deadline = Instant::now() + LIMIT;
    loop {
        let found = names(&dir);
        if found.iter().any(|scene| is_alive(scene)) {
            return found;
        }
        assert!(Instant::now() < deadline, "no scene has begun");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Saves a body that takes forever to compile and returns cargo and the compiler.
fn compiles_forever(workbook: &Workbook, watcher: &Watcher) -> Vec<String> {
    save(
        workbook,
        "    #[allow(long_running_const_eval)]
    const FOREVER: u32 = {
        let mut turns = 1_u64;
        while turns != 0 {
            turns = turns % 7 + 1;
        }
        2
    };
    number.wrapping_mul(FOREVER)",
    );
    let deadline = Instant::now() + LIMIT;
    loop {
        let found = watcher.descendants();
        let compiles = |process: &String| {
            let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            words.contains("rustc --crate-name step90_fixture")
        };
        if found.iter().any(compiles) {
            return found;
        }
        assert!(Instant::now() < deadline, "no compiler has begun");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("list the directory");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
    names.map(str::to_owned).collect()
}
