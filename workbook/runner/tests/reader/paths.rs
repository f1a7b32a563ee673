//! Paths: which exercises are given, how every report mentions that, and that none of the reader's
//! bodies is ever lost.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::copy::{Ran, STEP, Workbook, ran};
use crate::terminal::pseudo_terminal;
use rustix::process::{Pid, Signal, kill_process};

const NUMBERS: &str = "src/numbers/mod.rs";
const GREETING: &str = "src/greeting.rs";
const OURS: &str = "(number + number).0";
const STARTER: &str = "todo!(";

/// Makes a copy with a path that leaves out the first exercise, and a chapter with a section for
/// each exercise.
fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    let section = |id: &str, title: &str| {
        format!("[[section]]\npage = 'step90'\nid = '{id}'\ntitle = '{title}'\nwords = 3\n")
    };
    let asks = |exercise: &str, scene: &str| {
        format!(
            "exercises = ['{exercise}']\n\
             [[section.prediction]]\npackage = '{STEP}'\nscene = '{scene}'\n"
        )
    };
    let chapter = [
        section("step-90", "Step 90"),
        section("doubling", "Doubling") + &asks("90.1", "small_numbers"),
        section("greeting", "Greeting") + &asks("90.2", "greetings"),
        section("more", "More"),
        section("the-end", "The end"),
    ];
    workbook.write_book("index/step90.toml", &chapter.concat());
    workbook.write_book("paths.toml", &path("short", "90.2"));
    workbook.cargo_in(".", &["build", "--quiet", "-p", "runner", "-p", STEP]);
    workbook
}

/// Returns a path with one exercise, on which only that exercise's section is read.
fn path(name: &str, exercise: &str) -> String {
    format!(
        "[[path]]\nname = '{name}'\nabout = 'little'\nexercises = ['{exercise}']\n\
         reads = ['step90#greeting', 'step90#the-end']\nbegins = 'The preface.'\n\
         ends = 'Now run it.'\nlast = 'after'\n"
    )
}

fn root(workbook: &Workbook, words: &[&str]) -> Ran {
    ran(program(workbook).args(words).output().expect("run it"))
}

#[track_caller]
fn go(workbook: &Workbook, words: &[&str]) -> String {
    let ran = root(workbook, words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // As one line, without its wrapping.
    ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn page(workbook: &Workbook, file: &str) -> String {
    fs::read_to_string(workbook.page(file)).expect("read the page")
}

/// Writes another body for `double`.
fn write_double(workbook: &Workbook, body: &str) {
    let text = page(workbook, NUMBERS);
    let (before, rest) = text.split_once("-> u32 {\n").expect("a function");
    let (_, after) = rest.split_once("\n}\n").expect("its end");
    fs::write(workbook.page(NUMBERS), format!("{before}-> u32 {{\n    {body}\n}}\n{after}"))
        .expect("write the page");
}

#[test]
fn what_is_not_on_the_path_is_given_and_every_report_says_so() {
    let workbook = workbook();
    let chosen = go(&workbook, &["path", "short"]);
    assert!(
        chosen.contains("`short` now: 1 exercise, 5 min to write and 0 min to read."),
        "{chosen}"
    );
    for text in [
        "Given, with our bodies in your pages: 1 exercise.",
        "first The preface.",
        "step90 skip from “Step 90” to “Doubling” read “Greeting”; write 90.2 skip “More” read “The end”",
        "after read at the end",
    ] {
        assert!(chosen.contains(text), "{text}\n{chosen}");
    }
    let map = go(&workbook, &[]);
    for text in [
        "step90_fixture 0 of 1 0 of 1 5",
        "Given: 1 more.",
        "90.2 greet, about 5 min Skip: from “Step 90” to “Doubling” Read: “Greeting” book/src/step90.md",
        "Path: short; for other paths: cargo run -- path",
    ] {
        assert!(map.contains(text), "{text}\n{map}");
    }
    let list = go(&workbook, &["list", "--json"]);
    for text in [r#""state":"given""#, r#""state":"not written""#, r#""minutes_left":5"#] {
        assert!(list.contains(text), "of a page that isn't begun: {text}\n{list}");
    }
    let judged = workbook.run(&[]);
    assert!(judged.out.contains("○ 90.1 double                  given"), "{}", judged.out);
    assert!(judged.out.contains("✗ 90.2 greet                   not written"), "{}", judged.out);
    for text in
        ["  First: The preface.", "  Skip:  from “Step 90” to “Doubling”", "  Read:  “Greeting”"]
    {
        assert!(judged.out.contains(text), "{text}\n{}", judged.out);
    }
    let predictions = workbook.run(&["predict"]).out;
    assert!(predictions.contains("predictions that your path asks for"), "{predictions}");
    assert!(predictions.contains("greetings") && !predictions.contains("small_numbers"));
    assert!(page(&workbook, NUMBERS).contains(OURS), "the page is made with our body");
    assert!(page(&workbook, GREETING).contains(STARTER));
    let list = workbook.run(&["list", "--json"]).out;
    assert!(list.contains("\"given\"") && list.contains("\"not written\""), "{list}");

    workbook.write_body(GREETING, "String::new()");
    let red = workbook.run(&[]);
    assert!(red.out.contains("✗ 90.2 greet                   red"), "{}", red.out);
    assert!(red.out.contains("○ 90.1 double                  given"), "{}", red.out);

    go(&workbook, &["path", "short"]);
    assert_eq!(workbook.run(&["reset", "greet", "--yes"]).code, Some(0));
    workbook.solve_greet();
    let green = workbook.run(&[]);
    assert_eq!(green.code, Some(0), "{green:?}");
    for text in [
        "your 1 exercise (1 more given)",
        "Skip: “More” (step90.html)\nRead: “The end” (step90.html)\n",
        "`short` is green.\nNow run it.\nThen read “",
    ] {
        assert!(green.out.contains(text), "{text}\n{}", green.out);
    }
    assert!(go(&workbook, &[]).contains("✓ step90_fixture 1 of 1"), "{}", go(&workbook, &[]));
}

#[test]
fn another_path_takes_no_body_away_and_what_was_given_is_to_be_written_again() {
    let workbook = workbook();
    workbook.run(&[]);
    write_double(&workbook, "number.wrapping_pow(2) // mine");
    let mine = page(&workbook, NUMBERS);
    let chosen = go(&workbook, &["path", "short"]);
    assert!(
        chosen.contains("These exercises stay yours, since you have written them: 90.1."),
        "{chosen}"
    );
    assert_eq!(page(&workbook, NUMBERS), mine);
    go(&workbook, &["path", "all"]);
    assert_eq!(page(&workbook, NUMBERS), mine);

    assert_eq!(workbook.run(&["reset", "double", "--yes"]).code, Some(0));
    let starter = page(&workbook, NUMBERS);
    go(&workbook, &["path", "short"]);
    assert!(page(&workbook, NUMBERS).contains(OURS));
    let again = go(&workbook, &["path", "all"]);
    assert!(again.contains("No longer given: 1 exercise."), "{again}");
    assert_eq!(page(&workbook, NUMBERS), starter, "byte for byte");

    go(&workbook, &["path", "short"]);
    write_double(&workbook, "number.wrapping_add(number) // mine");
    let mine = page(&workbook, NUMBERS);
    assert!(
        workbook.run(&[]).out.contains("✓ 90.1 double"),
        "a given body that's changed is theirs"
    );
    go(&workbook, &["path", "all"]);
    assert_eq!(page(&workbook, NUMBERS), mine);
    assert!(
        !fs::read_to_string(workbook.root.join("work/.state/path")).expect("read").contains("90")
    );
}

#[test]
fn skipping_gives_what_is_not_green_and_taking_it_back_puts_everything_back() {
    let workbook = workbook();
    let skipped = go(&workbook, &["skip-to", "greet"]);
    assert!(skipped.contains("Given before 90.2: 1 exercise."), "{skipped}");
    assert!(workbook.run(&[]).out.contains("○ 90.1 double"));
    let back = go(&workbook, &["skip-to", "90.1"]);
    assert!(back.contains("Given before 90.1: 0 exercises."), "{back}");
    assert!(page(&workbook, NUMBERS).contains(STARTER));

    write_double(&workbook, "number.wrapping_pow(2) // half of it");
    let mine = page(&workbook, NUMBERS);
    workbook.run(&[]);
    let skipped = go(&workbook, &["skip-to", "90.2"]);
    assert!(skipped.contains("Your version is in work/.state/replaced/double."), "{skipped}");
    assert!(page(&workbook, NUMBERS).contains(OURS));
    go(&workbook, &["path", "all"]);
    assert_eq!(page(&workbook, NUMBERS), mine, "byte for byte");

    write_double(&workbook, "number.wrapping_mul(2) // green");
    let mine = page(&workbook, NUMBERS);
    workbook.run(&[]);
    let kept = go(&workbook, &["skip-to", "90.2"]);
    assert!(
        kept.contains("These exercises stay yours, since you have written them: 90.1."),
        "{kept}"
    );
    assert_eq!(page(&workbook, NUMBERS), mine);

    assert_eq!(root(&workbook, &["skip-to", "90.7"]).code, Some(2));
    let gone = "90.3 shout is gone; its idea is in 90.2 now";
    for ran in [root(&workbook, &["skip-to", "shout"]), workbook.run(&["reveal", "90.3"])] {
        assert!(ran.code == Some(2) && ran.err.contains(gone), "{ran:?}");
    }
    let there = workbook.run(&["skip-to", "90.2"]);
    assert!(there.err.contains("cargo run -- skip-to 90.2"), "{there:?}");
}

#[test]
fn a_solution_goes_into_the_page_of_a_reader_who_confirms_and_reset_takes_it_out() {
    let workbook = workbook();
    workbook.run(&[]);
    let starter = page(&workbook, NUMBERS);
    let asked = workbook.run(&["reveal", "double", "--into-my-page"]);
    assert_eq!((asked.code, page(&workbook, NUMBERS)), (Some(2), starter.clone()));
    write_double(&workbook, "number // mine");
    let given = workbook.run(&["reveal", "double", "--into-my-page", "--yes"]);
    assert_eq!(given.code, Some(0), "{given:?}");
    assert!(given.out.contains("90.1 double is given"), "{}", given.out);
    let copy = fs::read_dir(workbook.root.join("work/.state/replaced")).expect("list");
    let copy: String = copy
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("read"))
        .collect();
    assert!(copy.contains("number // mine"));
    assert!(workbook.run(&[]).out.contains("○ 90.1 double"));
    assert_eq!(workbook.run(&["reset", "double", "--yes"]).code, Some(0));
    assert_eq!(page(&workbook, NUMBERS), starter);
    assert!(workbook.run(&[]).out.contains("✗ 90.1 double"));
    write_double(&workbook, "let number = Wrapping(number);\n    (number + number).0");
    assert!(workbook.run(&[]).out.contains("✓ 90.1 double"), "theirs, even if it's like ours");
}

#[test]
fn a_teacher_s_file_is_a_path_and_a_mistake_in_it_changes_nothing() {
    let workbook = workbook();
    workbook.run(&[]);
    let file = workbook.root.join("course.toml");
    let before = page(&workbook, NUMBERS);
    for (text, why) in [
        (path("monday", "90.4"), "the path `monday`: there's no exercise or chapter 90.4"),
        (path("monday", "90.3"), "the path `monday`: 90.3 shout is gone; its idea is in 90.2 now"),
        (path("monday", "90.2") + &path("tuesday", "90.1"), "has these paths: monday, tuesday"),
        ("[[path]]\nnane = 'x'\n".to_owned(), "`name` is missing"),
    ] {
        fs::write(&file, text).expect("write the course");
        let refused = root(&workbook, &["path", "course.toml"]);
        assert_ne!(refused.code, Some(0));
        assert!(refused.err.contains(why), "{why}\n{refused:?}");
        assert_eq!(page(&workbook, NUMBERS), before);
        assert!(!workbook.root.join("work/.state/path").exists());
    }
    fs::write(&file, path("monday", "90.2") + &path("tuesday", "90.1")).expect("write");
    go(&workbook, &["path", "course.toml", "monday"]);
    assert!(page(&workbook, NUMBERS).contains(OURS));
    assert!(go(&workbook, &["path"]).contains("→ monday 1"), "{}", go(&workbook, &["path"]));
    let gap = go(&workbook, &["path", "course.toml", "tuesday"]);
    assert!(gap.contains("But 90.1 double needs step90#doubling, which the path skips."), "{gap}");
    assert!(page(&workbook, GREETING).contains("polite(name));"));

    fs::remove_file(&file).expect("remove");
    assert!(
        go(&workbook, &[]).contains("Given: 1 more."),
        "what's given stays so without the file"
    );
    let unknown = root(&workbook, &["path", "shrot"]);
    assert!(unknown.err.contains("did you mean `short`?"), "{unknown:?}");
    assert_eq!(unknown.code, Some(2));
}

/// The maximum time until the program prints something.
const LIMIT: Duration = Duration::from_mins(1);

/// The workbook's own program in a terminal.
struct Asked {
    program: Child,
    keyboard: File,
    said: Receiver<String>,
    text: String,
}

impl Asked {
    fn begin(workbook: &Workbook) -> Asked {
        let (keyboard, terminal) = pseudo_terminal();
        let again = || Stdio::from(terminal.try_clone().expect("duplicate the terminal"));
        let mut command = program(workbook);
        command.stdin(again()).stdout(again()).stderr(again());
        let program = command.spawn().expect("start the program");
        drop((command, terminal));
        let mut output = keyboard.try_clone().expect("duplicate the keyboard");
        let (tell, said) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let _ = tell.send(String::from_utf8_lossy(&buffer[..count]).into_owned());
            }
        });
        Asked { program, keyboard, said, text: String::new() }
    }

    #[track_caller]
    fn waits_for(&mut self, text: &str) {
        while !self.text.contains(text) {
            self.text += &self.said.recv_timeout(LIMIT).expect(&self.text);
        }
    }

    fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).expect("type");
    }

    /// Waits for the program's end.
    #[track_caller]
    fn end(mut self) -> (Option<i32>, String) {
        loop {
            match self.said.recv_timeout(LIMIT) {
                Ok(text) => self.text += &text,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it doesn't end: {}", self.text),
            }
        }
        let code = self.program.wait().expect("wait").code();
        (code, std::mem::take(&mut self.text))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // A test that fails leaves no process behind.
        if let Ok(None) = self.program.try_wait() {
            let _ = self.program.kill();
            let _ = self.program.wait();
        }
    }
}

/// Returns the command for the workbook's own program, which cargo has built.
fn program(workbook: &Workbook) -> Command {
    let mut command = Command::new(workbook.root.join("target/debug/workbook"));
    command
        .current_dir(&workbook.root)
        .env("CARGO_MANIFEST_DIR", workbook.root.join("workbook/runner"))
        .env("COLUMNS", "80")
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

const QUESTION: &str = "Which one? [2] ";

#[test]
fn who_has_never_chosen_is_asked_once_on_a_terminal() {
    let workbook = workbook();
    let choice = workbook.root.join("work/.state/path");
    // The program asks nothing without a terminal to answer on, and it chooses nothing.
    assert!(go(&workbook, &[]).contains("Path: all;"));
    let closed = Command::new("sh")
        .args(["-c", "exec \"$0\" <&-"])
        .arg(workbook.root.join("target/debug/workbook"))
        .current_dir(&workbook.root)
        .env("CARGO_MANIFEST_DIR", workbook.root.join("workbook/runner"))
        .output();
    let closed = ran(closed.expect("run sh"));
    assert!(closed.code == Some(0) && closed.out.contains("Path:  all;"), "{closed:?}");
    assert!(!choice.exists());

    let mut asked = Asked::begin(&workbook);
    asked.waits_for(QUESTION);
    // Like Ctrl-C, which programs in a shell's background ignore.
    kill_process(Pid::from_child(&asked.program), Signal::TERM).expect("send the signal");
    asked.end();
    assert!(!choice.exists(), "a question that's broken off chooses nothing");

    let mut asked = Asked::begin(&workbook);
    asked.waits_for(QUESTION);
    asked.types("7\n");
    asked.waits_for(&format!("{QUESTION}7\r\n{QUESTION}"));
    asked.types("1\n");
    let (code, text) = asked.end();
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Path:  short;"), "{text}");
    for _ in 0..2 {
        let (code, text) = Asked::begin(&workbook).end();
        assert!(code == Some(0) && !text.contains(QUESTION), "{text}");
    }
}

#[test]
fn enter_and_ctrl_d_choose_all_of_it_and_someone_with_a_notebook_is_not_asked() {
    let workbook = workbook();
    for typed in ["\n", "\u{4}"] {
        let mut asked = Asked::begin(&workbook);
        asked.waits_for(QUESTION);
        asked.types(typed);
        let (code, text) = asked.end();
        assert!(code == Some(0) && text.contains("Path:  all;"), "{text}");
        fs::remove_dir_all(workbook.root.join("work")).expect("forget it");
    }
    workbook.run(&[]);
    let (code, text) = Asked::begin(&workbook).end();
    assert!(code == Some(0) && !text.contains(QUESTION), "{text}");
}
