//! Each server without its fault. The story is the same, and all is well.
//!
//! The files in `fixed/` are the whole servers; the book shows what they change.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[allow(unreachable_pub, reason = "the files differ from the broken ones in the fix alone")]
mod fixed {
    pub(crate) mod archive;
    pub(crate) mod bank;
    pub(crate) mod kitchen;
    pub(crate) mod library;
    pub(crate) mod parrot;
    pub(crate) mod reception;
}

use std::fs;
use std::path::Path;

use broken_servers::{
    Outcome, Played, SERVERS, Serve, Story, Traced, name_this_task, play, stories,
    use_the_usual_settings, work,
};
use kit::limit_time;
use similar::{ChangeTag, TextDiff};

fn played(serve: Serve, story: Story) -> Played {
    limit_time();
    let played = play(serve, story, Traced::No).unwrap();
    assert_eq!(*played.outcome(), Outcome::AllIsWell, "{played}");
    played
}

#[test]
fn the_library_sends_the_whole_book() {
    let played = played(|path| Box::pin(fixed::library::serve(path)), stories::library());
    assert_eq!(played.rest("Ann").len(), 4 * 1024 * 1024);
}

#[test]
fn the_archive_answers_a_ping_while_it_searches() {
    let played = played(|path| Box::pin(fixed::archive::serve(path)), stories::archive());
    assert!(played.received("Bob", "pong") < played.received("Ann", "8 letters"), "{played}");
}

#[test]
fn the_bank_tells_nobody_the_balance_of_a_client_who_has_left() {
    let played = played(|path| Box::pin(fixed::bank::serve(path)), stories::bank());
    assert!(played.received("Bob", "Bob has 300 dollars").is_some(), "{played}");
}

#[test]
fn the_reception_says_goodbye_and_ends() {
    let played = played(|path| Box::pin(fixed::reception::serve(path)), stories::reception());
    let goodbye = played.received("Bob", "goodbye");
    assert!(goodbye.is_some() && played.when("the server has ended") == goodbye, "{played}");
}

#[test]
fn the_parrots_loop_sleeps_when_all_have_left() {
    let played = played(|path| Box::pin(fixed::parrot::serve(path)), stories::parrot());
    assert!(played.when("Cy is disconnected").is_some(), "{played}");
}

#[test]
fn the_kitchen_cooks_what_was_ordered_while_the_cook_washed_up() {
    let played = played(|path| Box::pin(fixed::kitchen::serve(path)), stories::kitchen());
    assert!(played.received("Bob", "pie") > played.received("Ann", "soup"), "{played}");
}

/// Otherwise the fold in the book would hide the fault among other things.
#[test]
fn a_fix_changes_few_lines() {
    for server in SERVERS {
        let count = changed_lines(server.name, &format!("tests/fixed/{}.rs", server.name));
        assert!((2..=18).contains(&count), "{}: {count} lines", server.name);
    }
}

/// Each mend is a whole file, and has to remain its server, done otherwise in a place or two. If the
/// server changes and a mend doesn't, they no longer have most of their lines in common.
#[test]
fn a_mend_has_most_lines_of_its_server() {
    for directory in ["tests/right_mends", "tests/wrong_mends"] {
        for entry in fs::read_dir(root().join(directory)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let server = file.split('_').next().unwrap();
            let lines =
                fs::read_to_string(root().join(format!("src/servers/{server}.rs"))).unwrap();
            let count = changed_lines(server, &format!("{directory}/{file}"));
            assert!((1..lines.lines().count()).contains(&count), "{file}: {count} lines");
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns how many lines a mended server has other than the broken one, on both sides.
fn changed_lines(server: &str, mended: &str) -> usize {
    let broken = fs::read_to_string(root().join(format!("src/servers/{server}.rs"))).unwrap();
    let mended = fs::read_to_string(root().join(mended)).unwrap();
    let diff = TextDiff::from_lines(&broken, &mended);
    diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).count()
}
