//! The gap between checking a flag and waiting. We play three loops: the first checks once, the
//! second checks twice, and the third has the kernel close the gap. Each loop is played with a
//! signal at each possible moment. The tests compare the first and the third loop with the scenes'
//! transcripts.

use super::timeline::{self, Deed};
use super::{Answer, Figure, Run, Set, State};

const ACTORS: [&str; 2] = ["the loop", "the signal"];
const LOOP: usize = 0;
const SIGNAL: usize = 1;

/// The rules for a loop: how often it checks its flag before it sleeps, and whether it blocks the
/// signal.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rules {
    checks: usize,
    /// True if the signal is blocked except during the wait, as `epoll_pwait` can arrange.
    blocks: bool,
}

const RULES: [(&str, Rules); 3] = [
    ("a check, then a wait", Rules { checks: 1, blocks: false }),
    ("two checks, then a wait", Rules { checks: 2, blocks: false }),
    ("a check, then epoll_pwait", Rules { checks: 1, blocks: true }),
];

pub(super) fn figure() -> Figure {
    let sets: Vec<Set> = RULES
        .into_iter()
        .map(|(name, rules)| {
            // There's a moment before each check, before the wait, and during the wait.
            let runs = (0..rules.checks + 2).map(|moment| World::played(rules, moment));
            Set { name: name.to_owned(), runs: runs.collect() }
        })
        .collect();
    let run = sets[1].runs.iter().position(|run| run.is_bad).unwrap_or_default();
    let state = sets[1].runs[run].states.len() - 1;
    Figure {
        name: "gap",
        title: "A signal, and a loop that checks a flag before it sleeps",
        question: format!(
            "you add a second check of the flag, right before the wait. The signal can come at {} moments \
             now. At how many of them does it come too late, so that the loop sleeps?",
            ["", "one", "two", "three", "four"][sets[1].runs.len()]
        ),
        answers: vec![
            Answer::wrong(
                "none",
                "the second check closes the first gap but leaves one between itself and the wait.",
            ),
            Answer::right("one"),
            Answer::wrong("two", "a signal between the two checks is in time for the second one."),
        ],
        explains: "No matter how often you check, the wait begins after the last check. If a signal comes \
                   between the two, its handler has returned before the wait begins, so no signal is left to \
                   interrupt the wait, and the kernel doesn't watch your variables. With `epoll_pwait`, the \
                   third of the rules, no moment is too late: the wait itself unblocks the signal."
            .to_owned(),
        choices: ["Rules", "Moments"],
        still: [1, run, state],
        sets,
    }
}

/// A loop, the signal that stops it, and their actions so far.
struct World {
    rules: Rules,
    flag: bool,
    /// True while the signal is pending, because it was blocked when it arrived.
    is_pending: bool,
    deeds: Vec<Deed>,
    states: Vec<(String, [bool; 2])>,
}

impl World {
    /// Plays the loop with a signal before the action with the index `moment` and returns the run.
    /// The index after the last action stands for the moment during the wait.
    fn played(rules: Rules, moment: usize) -> Run {
        let says = if rules.blocks {
            "The flag is false, and the signal is blocked until the wait."
        } else {
            "The flag is false, and the loop is about to check it."
        };
        let states = vec![(says.to_owned(), [false, false])];
        let mut world = World { rules, flag: false, is_pending: false, deeds: Vec::new(), states };
        let is_bad = world.loses(moment);
        let name = match (rules.checks, moment) {
            (_, 0) => "before the check",
            (checks, _) if moment == checks + 1 => "during the wait",
            (checks, _) if moment == checks => "between the check and the wait",
            _ => "between the two checks",
        };
        world.into_run(name, is_bad)
    }

    /// Plays the loop. Returns true if the loop is asleep at the end and has therefore lost the
    /// signal.
    fn loses(&mut self, moment: usize) -> bool {
        for check in 0..self.rules.checks {
            if moment == check {
                self.signal_comes();
            }
            if self.check() {
                return false;
            }
        }
        if moment == self.rules.checks {
            self.signal_comes();
        }
        if self.is_pending {
            self.note(
                LOOP,
                "wait",
                "wait: unblocks it",
                "The wait unblocks the signal and sleeps in a single step.",
                false,
            );
            self.handler_runs("The pending signal's handler sets the flag.");
        } else {
            let is_bad = self.flag;
            let says = if is_bad {
                "The loop sleeps, although the flag is true: the signal came too late for the check and too early \
                 to interrupt the wait."
            } else {
                "The loop waits and sleeps."
            };
            self.note(LOOP, "wait", "wait: asleep", says, is_bad);
            if is_bad {
                return true;
            }
            self.handler_runs("The signal arrives, and its handler sets the flag.");
        }
        self.note(
            LOOP,
            "awake",
            "EINTR: awake",
            "The signal has interrupted the wait, which fails with EINTR.",
            false,
        );
        !self.check()
    }

    /// Checks the flag. Returns true if the flag is set, in which case the loop stops.
    fn check(&mut self) -> bool {
        if self.flag {
            self.note(
                LOOP,
                "check",
                "check: true, stop",
                "The check finds the flag set, and the loop stops.",
                false,
            );
        } else {
            self.note(LOOP, "check", "check: false", "The check finds the flag false.", false);
        }
        self.flag
    }

    fn signal_comes(&mut self) {
        if self.rules.blocks {
            self.is_pending = true;
            let says = "The signal arrives but is blocked, so it stays pending.";
            self.note(SIGNAL, "signal", "signal: pending", says, false);
        } else {
            self.handler_runs("The signal arrives, and its handler sets the flag and returns.");
        }
    }

    fn handler_runs(&mut self, says: &str) {
        (self.flag, self.is_pending) = (true, false);
        self.note(SIGNAL, "signal", "handler: flag = true", says, false);
    }

    fn note(&mut self, column: usize, name: &str, done: &str, says: &str, is_bad: bool) {
        let (name, done) = (name.to_owned(), done.to_owned());
        self.deeds.push(Deed { column, name, done, is_bad });
        self.states.push((says.to_owned(), [self.flag, is_bad]));
    }

    fn into_run(self, name: &str, is_bad: bool) -> Run {
        let states = self.states.iter().enumerate().map(|(done, (says, [flag, is_wrong]))| {
            let shared = [("flag", flag.to_string(), *is_wrong)];
            let shapes = timeline::drawn(ACTORS, &shared, &self.deeds, done);
            State { says: says.clone(), shapes }
        });
        Run { name: name.to_owned(), is_bad, states: states.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tests::root;

    /// Returns the recorded transcript of one of step 05's scenes.
    fn recorded(scene: &str) -> String {
        let file = root().join("step05_selfpipe/tests/snapshots").join(format!("{scene}.snap"));
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    #[test]
    fn each_moment_ends_as_the_scene_has_recorded_it() {
        let transcript = recorded("a_flag_alone");
        let set = &figure().sets[0];
        for (run, line) in
            set.runs.iter().zip(["before the check:", "between the two:", "during the wait:"])
        {
            let recorded = transcript.lines().find_map(|it| it.strip_prefix(line)).expect(line);
            assert_eq!(recorded.contains("the loop is asleep"), run.is_bad, "{}", run.name);
            let waits = run.states.iter().any(|state| state.says.contains("sleeps"));
            assert_eq!(recorded.contains("there's no wait"), !waits, "{}", run.name);
        }
    }

    #[test]
    fn what_blocks_the_signal_until_the_wait_never_sleeps_as_the_scene_has_recorded_it() {
        let figure = figure();
        assert!(figure.sets[2].runs.iter().all(|run| !run.is_bad));
        let in_the_gap = &figure.sets[2].runs[1];
        assert_eq!(in_the_gap.name, "between the check and the wait");
        let says: Vec<&str> = in_the_gap.states.iter().map(|state| state.says.as_str()).collect();
        let says = says.concat();
        for step in
            ["so it stays pending", "unblocks the signal", "pending signal's handler", "EINTR"]
        {
            assert!(says.contains(step), "{step}: {says}");
        }
        let transcript = recorded("the_gap_and_epoll_pwait");
        assert!(transcript.contains("EINTR") || transcript.contains("Interrupted"), "{transcript}");
    }

    #[test]
    fn a_second_check_moves_the_gap() {
        let figure = figure();
        for (set, expected) in
            [(0, ["between the check and the wait"]), (1, ["between the check and the wait"])]
        {
            let runs = figure.sets[set].runs.iter().filter(|run| run.is_bad);
            assert_eq!(runs.map(|run| run.name.as_str()).collect::<Vec<_>>(), expected);
        }
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, "one");
        assert!(figure.question.contains("at four moments"), "{}", figure.question);
    }
}
