//! If Python is installed, checks that a loop that naps on article D's condition spins while a
//! timer is pending.

/// The counts of `article_d_loop.py` while a loop runs for a second.
#[derive(Debug)]
struct Counts {
    turns: u64,
    naps: u64,
    cpu_time: f64,
}

/// Reads a line such as `asyncio, a timer of 1 s: turns 1, naps 0, CPU time 0.001 s`.
fn counts(said: &str, name: &str) -> Counts {
    let line = said.lines().find_map(|line| line.strip_prefix(name)).expect("the loop's line");
    let count = |before: &str, after: &str| {
        let (_, rest) = line.split_once(before).expect("a count");
        rest.split_once(after).expect("its end").0.replace(',', "")
    };
    Counts {
        turns: count(": turns ", ", naps").parse().expect("a number of turns"),
        naps: count("naps ", ", CPU").parse().expect("a number of naps"),
        cpu_time: count("CPU time ", " s").parse().expect("seconds"),
    }
}

#[test]
fn a_loop_with_article_d_s_condition_spins_while_it_has_something_to_wait_for() {
    let (step, package) = (env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
    let Some(said) = author::twins::ask_cpython(step, package, "article_d_loop.py") else { return };

    let idle = counts(&said, "napping, no timer for 1 s");
    assert!(idle.turns < 1000 && idle.naps == idle.turns && idle.cpu_time < 0.1, "{idle:?}");
    let waiting = counts(&said, "napping, a timer of 1 s");
    assert!(waiting.turns > 10_000 && waiting.naps == 0, "{waiting:?}");
    assert!(waiting.cpu_time > idle.cpu_time, "{idle:?}, {waiting:?}");
    let asyncio = counts(&said, "asyncio, a timer of 1 s");
    assert!(asyncio.turns < 100 && asyncio.cpu_time < 0.1, "{asyncio:?}");

    assert!(said.contains("two timers of one moment, the same callback: both are set\n"), "{said}");
    assert!(said.contains("two timers of one moment, two callbacks: TypeError\n"), "{said}");
}
