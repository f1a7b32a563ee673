//! The messages that `watch` sends to other programs about each save, until it exits and stops its
//! children.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::assert_ends;
use crate::copy::Workbook;
use crate::events::{RIGHT, begun, names, save};
use crate::stream::Stream;
use rustix::process::Signal;

#[test]
fn watch_tells_of_each_save_and_ends_what_is_under_way() {
    let workbook = begun();
    let watch = Stream::begin(workbook.command(&["watch", "--json"]));
    let begun = watch.up_to("verdict");
    assert_eq!(names(&begun), ["begin", "list", "verdict"], "nothing is written yet");

    save(
        &workbook,
        "    loop { std::thread::sleep(std::time::Duration::from_secs(u64::from(number) + 9)) }",
    );
    let begun = watch.up_to("judging");
    assert_eq!(names(&begun), ["saved", "compiling", "judging"]);
    assert_eq!(begun[0]["files"], serde_json::json!(["work/step90_fixture/src/numbers/mod.rs"]));
    save(&workbook, RIGHT);
    let next = watch.up_to("verdict");
    assert_eq!(names(&next), ["interrupted", "saved", "compiling", "judging", "verdict"]);
    assert_eq!(next[4]["newly_green"], serde_json::json!(["90.1"]));

    save(&workbook, "    \"two\"");
    let broken = watch.verdict("does not compile");
    assert_eq!(broken["exercises"][0]["was_green"], true);
    save(&workbook, RIGHT);
    watch.verdict("not written");
    workbook.cargo_in(".", &["run", "--quiet", "--", "skip-to", "90.2"]);
    // Only the path has changed, and not the page.
    let changed = watch.up_to("saved").pop().expect("a save");
    assert!(changed["files"][0].as_str().expect("a file").ends_with(".state/path"), "{changed}");
    watch.up_to("verdict");

    let aside = workbook.root.join("work-aside");
    let _ = fs::remove_dir_all(&aside);
    fs::rename(workbook.root.join("work"), &aside).expect("move the notebook away");
    let end = watch.up_to("end").pop().expect("an end");
    assert!(end["words"].as_str().expect("a reason").contains("no longer exists"), "{end}");
    fs::remove_dir_all(aside).expect("clean up");
}

#[test]
fn two_watches_at_once_tell_the_same() {
    let workbook = begun();
    let both = [(), ()].map(|()| Stream::begin(workbook.command(&["watch", "--json"])));
    for watch in &both {
        watch.verdict("not written");
    }
    for (body, outcome) in [("    number + 1", "red"), (RIGHT, "not written")] {
        save(&workbook, body);
        for watch in &both {
            watch.verdict(outcome);
        }
    }
}

/// Writes a body whose scenes report their process IDs and hang.
fn hangs(workbook: &Workbook) -> String {
    let dir = workbook.root.join("hanging");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir(&dir).expect("make a directory");
    format!(
        "    let _ = std::fs::write(format!(\"{}/{{}}\", std::process::id()), \"\");\n    \
         loop {{ std::thread::sleep(std::time::Duration::from_secs(u64::from(number) + 9)) }}",
        dir.display()
    )
}

/// Waits for a scene that hangs and returns its process ID.
fn hanging_scene(workbook: &Workbook) -> String {
    loop {
        let mut found = fs::read_dir(workbook.root.join("hanging")).expect("list");
        if let Some(found) = found.next() {
            return found.expect("an entry").file_name().into_string().expect("a number");
        }
        std::thread::yield_now();
    }
}

#[test]
fn ctrl_c_ends_watch_with_its_children() {
    let workbook = begun();
    save(&workbook, &hangs(&workbook));
    let watch = Stream::begin(workbook.command(&["watch", "--json"]));
    watch.up_to("judging");
    let scene = hanging_scene(&workbook);
    assert_eq!(watch.end(Signal::INT), Some(130));
    assert_ends(&scene);
}

#[test]
fn a_closed_pipe_ends_watch_with_its_children_although_nothing_is_told() {
    let workbook = begun();
    save(&workbook, &hangs(&workbook));
    let mut command = workbook.command(&["watch", "--json"]);
    command.env("WORKBOOK_PATIENCE", "600").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut runner = command.spawn().expect("start it");
    let mut lines = BufReader::new(runner.stdout.take().expect("its output")).lines();
    lines
        .find(|line| line.as_ref().is_ok_and(|line| line.contains("\"judging\"")))
        .expect("judging")
        .expect("a line");
    let scene = hanging_scene(&workbook);
    drop(lines);
    assert_ends(&runner.id().to_string());
    assert_ends(&scene);
    assert_eq!(runner.wait().expect("wait for it").code(), Some(143));
}
