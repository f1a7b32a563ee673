//! Plays each server without its fault. The clients' moves are the same as with the fault, but now
//! all has to be well.
//!
//! The patches in `fixed/` are the ones the book shows; the build script applies them.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[allow(unreachable_pub, reason = "they differ from the broken ones in the fix alone")]
mod fixed {
    include!(concat!(env!("OUT_DIR"), "/fixed.rs"));
}

use std::fs;

use broken_servers::{
    Outcome, Played, SERVERS, Serve, Story, Traced, name_this_task, play, stories,
    use_the_usual_settings, work,
};
use kit::limit_time;

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

/// If a fix were longer, the book's fold would bury the fault among other changes.
#[test]
fn a_fix_changes_few_lines() {
    for server in SERVERS {
        let patch = format!("{}/tests/fixed/{}.patch", env!("CARGO_MANIFEST_DIR"), server.name);
        let patch = fs::read_to_string(patch).unwrap();
        let hunks = patch.lines().skip_while(|line| !line.starts_with("@@"));
        let count = hunks.filter(|line| line.starts_with(['+', '-'])).count();
        assert!((2..=18).contains(&count), "{}: {count} lines", server.name);
    }
}
