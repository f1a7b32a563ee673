//! Plays the book's fixes and others. Any correct fix, however it works, has to get the verdict
//! that all is well. A wrong fix, which removes the symptom but breaks something else, must not get
//! that verdict.
//!
//! Each file in `fixed/`, `right_mends/` and `wrong_mends/` is a patch to a server. The patches in
//! `fixed/` are the ones the book shows. The build script applies the patches.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::process::Command;
use std::{env, fs};

use broken_servers::{
    Outcome, SERVERS, Serve, Story, Traced, name_this_task, play, stories, use_the_usual_settings,
    work,
};
use kit::limit_time;

#[allow(unreachable_pub, reason = "they differ from the broken ones in the fix alone")]
mod fixed {
    include!(concat!(env!("OUT_DIR"), "/fixed.rs"));
}

#[allow(unreachable_pub, reason = "they differ from the broken ones in the mend alone")]
mod right_mends {
    include!(concat!(env!("OUT_DIR"), "/right_mends.rs"));
}

#[allow(unreachable_pub, reason = "they differ from the broken ones in the mend alone")]
mod wrong_mends {
    include!(concat!(env!("OUT_DIR"), "/wrong_mends.rs"));
}

const NEVER_SLEEPS: &str = "error: the loop never sleeps, so its clients never get a turn";

/// Plays a repaired server and describes the outcome.
macro_rules! outcome {
    ($kind:ident::$mend:ident, $story:ident) => {
        outcome(|path| Box::pin($kind::$mend::serve(path)), stories::$story())
    };
}

fn outcome(serve: Serve, story: Story) -> String {
    limit_time();
    match play(serve, story, Traced::No) {
        Ok(played) => match played.outcome() {
            Outcome::Symptom(symptom) => format!("The symptom: {symptom}"),
            Outcome::Missing(missing) => format!("but {missing}"),
            Outcome::AllIsWell => "All is well".to_owned(),
        },
        Err(error) => format!("error: {error:#}"),
    }
}

#[test]
fn all_is_well_with_the_books_fix() {
    assert_eq!(outcome!(fixed::archive, archive), "All is well");
    assert_eq!(outcome!(fixed::bank, bank), "All is well");
    assert_eq!(outcome!(fixed::kitchen, kitchen), "All is well");
    assert_eq!(outcome!(fixed::library, library), "All is well");
    assert_eq!(outcome!(fixed::parrot, parrot), "All is well");
    assert_eq!(outcome!(fixed::reception, reception), "All is well");
}

/// If a fix were longer, the book's fold would bury the fault among other changes.
#[test]
fn the_books_fix_changes_few_lines() {
    for server in SERVERS {
        let patch = format!("{}/tests/fixed/{}.patch", env!("CARGO_MANIFEST_DIR"), server.name);
        let patch = fs::read_to_string(patch).unwrap();
        let hunks = patch.lines().skip_while(|line| !line.starts_with("@@"));
        let count = hunks.filter(|line| line.starts_with(['+', '-'])).count();
        assert!((2..=18).contains(&count), "{}: {count} lines", server.name);
    }
}

#[test]
fn all_is_well_with_a_right_mend() {
    assert_eq!(outcome!(right_mends::archive_on_a_thread, archive), "All is well");
    assert_eq!(outcome!(right_mends::archive_yields_after_each_letter, archive), "All is well");
    assert_eq!(outcome!(right_mends::bank_cancels_its_lookups, bank), "All is well");
    assert_eq!(outcome!(right_mends::kitchen_clears_before_it_looks, kitchen), "All is well");
    assert_eq!(outcome!(right_mends::kitchen_clears_if_nothing_is_ordered, kitchen), "All is well");
    assert_eq!(outcome!(right_mends::library_only_the_rest_waits, library), "All is well");
    assert_eq!(outcome!(right_mends::library_write_in_a_loop, library), "All is well");
    assert_eq!(outcome!(right_mends::parrot_a_guard_cancels, parrot), "All is well");
    assert_eq!(outcome!(right_mends::parrot_reads_the_clock, parrot), "All is well");
    assert_eq!(
        outcome!(right_mends::reception_passes_on_the_cancellation, reception),
        "All is well"
    );
}

/// If the clock didn't wait for the thread, Ann would get her letters in only one play out of five.
#[test]
fn a_search_on_a_thread_is_played_the_same_ten_times() {
    for _ in 0..10 {
        assert_eq!(outcome!(right_mends::archive_on_a_thread, archive), "All is well");
    }
}

/// With this fix, the watchdog stops the whole process, so the test plays it in a separate process.
#[test]
fn a_mend_that_never_gives_up_its_turn_is_ended_and_told_why() {
    const PLAYS: &str = "PLAYS_A_MEND_WITHOUT_END";
    if env::var_os(PLAYS).is_some() {
        outcome!(wrong_mends::library_never_awaits, library);
        return;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "a_mend_that_never_gives_up_its_turn_is_ended_and_told_why"]);
    let output = command.arg("--nocapture").env(PLAYS, "1").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("it has a loop without an await"), "{errors}");
}

#[test]
fn nothing_is_well_with_a_wrong_mend() {
    let outcomes = [
        (outcome!(wrong_mends::archive_ignores_pings, archive), "but Bob gets no pong"),
        (
            outcome!(wrong_mends::archive_looks_at_some_letters, archive),
            "but Ann isn't told that there are 8 letters",
        ),
        (
            outcome!(wrong_mends::archive_yields_once, archive),
            "The symptom: Bob waits 0.7 s for his pong",
        ),
        (
            outcome!(wrong_mends::bank_forgets_the_second_request, bank),
            "but Bob isn't told his own balance at 3.1 s",
        ),
        (
            outcome!(wrong_mends::bank_waits_in_the_clients_task, bank),
            "but Bob isn't told Cy's balance at 3.1 s",
        ),
        (
            outcome!(wrong_mends::kitchen_never_clears, kitchen),
            "but the cook gets up again and again without an order",
        ),
        (outcome!(wrong_mends::kitchen_polls_for_orders, kitchen), NEVER_SLEEPS),
        (outcome!(wrong_mends::library_never_sleeps, library), NEVER_SLEEPS),
        (
            outcome!(wrong_mends::library_no_header, library),
            "but Ann isn't told how long the book is",
        ),
        (
            outcome!(wrong_mends::library_rest_from_the_beginning, library),
            "but Ann gets its parts in disorder",
        ),
        (
            outcome!(wrong_mends::library_whole_part_again, library),
            "but Ann gets more than the book",
        ),
        (
            outcome!(wrong_mends::parrot_never_refills, parrot),
            "but after a second, Ann can't say three lines again",
        ),
        (
            outcome!(wrong_mends::parrot_refills_once, parrot),
            "but after two seconds, Ann can't say a line again",
        ),
        (outcome!(wrong_mends::parrot_takes_long_lines, parrot), "but a line can be too long"),
        (
            outcome!(wrong_mends::reception_no_goodbye, reception),
            "but Bob isn't told goodbye at 8 s",
        ),
        (
            outcome!(wrong_mends::reception_passes_on_every_error, reception),
            "but Bob isn't asked at 6 s whether he's still there",
        ),
    ];
    for (outcome, expected) in outcomes {
        assert_eq!(outcome, expected);
    }
}
