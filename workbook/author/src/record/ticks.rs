//! Moves each report of a tick to the tick's beginning, where a reader wants to see it. A loop
//! reports a tick only at the tick's end.

use super::noted::Noted;
use super::things::NEXT;

/// The next part of a run.
pub(super) enum Next<'n, 'a> {
    Moment(&'n Noted<'a>),
    Tick(Tick<'n, 'a>),
}

/// The beginning of a tick.
#[derive(Clone, Copy)]
pub(super) struct Tick<'n, 'a> {
    pub(super) number: usize,
    /// The loop's report at the tick's end. `None` for a tick that the run didn't finish.
    pub(super) end: Option<&'n Noted<'a>>,
}

impl<'a> Tick<'_, 'a> {
    /// Returns the timers that became due in the tick.
    pub(super) fn due(&self) -> Vec<&'a str> {
        let due = self.end.and_then(|end| end.field("due")).unwrap_or_default();
        due.split(NEXT).filter(|timer| !timer.is_empty()).collect()
    }
}

/// Returns the moments, with each tick at its beginning. A tick begins after the previous tick or,
/// if that's later, after the last moment at which no loop was running.
pub(super) fn in_order<'n, 'a>(noted: &'n [Noted<'a>]) -> Vec<Next<'n, 'a>> {
    let mut all = Vec::new();
    let (mut begins, mut number) = (0, 0);
    let mut has_run = false;
    for moment in noted {
        if moment.kind == "tick" {
            number = moment.what.trim_start_matches("tick ").parse().unwrap_or(0);
            all.insert(begins, Next::Tick(Tick { number, end: Some(moment) }));
            begins = all.len();
            has_run = false;
            continue;
        }
        all.push(Next::Moment(moment));
        let runs = moment.field("runs").is_some();
        has_run |= runs;
        // Ignore a moment in a different thread, which can't see the loop, and a moment at which
        // the loop couldn't answer.
        if !runs && moment.field("thread").is_none() && moment.field("unanswered").is_none() {
            begins = all.len();
            has_run = false;
        }
    }
    if has_run {
        all.insert(begins, Next::Tick(Tick { number: number + 1, end: None }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts moments in order. Each moment is given as its kind and its field about the loop, such
    /// as `runs`.
    fn ordered(told: &[(&str, &str)]) -> String {
        let text =
            |(kind, more): &(&str, &str)| format!("kind\t{kind}\nwhat\t{kind} 1\nat\t\n{more}");
        let texts: Vec<String> = told.iter().map(text).collect();
        let noted: Vec<Noted<'_>> = texts.iter().map(|it| Noted::parse(it).unwrap()).collect();
        let names = in_order(&noted).into_iter().map(|next| match next {
            Next::Moment(moment) => moment.kind.to_owned(),
            Next::Tick(Tick { number, end }) => {
                format!("[{number}{}", if end.is_some() { "" } else { ", not over" })
            }
        });
        names.collect::<Vec<_>>().join(" ")
    }

    const RUNS: &str = "runs\tyes";

    #[test]
    fn a_tick_begins_behind_the_one_before_it_or_where_its_loop_began_to_run() {
        let told = [("say", ""), ("poll", RUNS), ("end", RUNS), ("tick", RUNS), ("run", RUNS)];
        let rest = [("tick", RUNS), ("tick", RUNS), ("say", ""), ("run", RUNS), ("tick", RUNS)];
        let expected = "say [1 poll end [1 run [1 say [1 run";
        assert_eq!(ordered(&[told, rest].concat()), expected);
    }

    #[test]
    fn another_thread_and_a_loop_that_cannot_answer_say_nothing_of_where_a_tick_begins() {
        let told = [("call", RUNS), ("call", "thread\tworker"), ("call", "unanswered\tyes")];
        assert_eq!(ordered(&[&told[..], &[("tick", RUNS)]].concat()), "[1 call call call");
    }

    #[test]
    fn a_tick_that_never_ends_is_the_last() {
        let told = [("poll", RUNS), ("tick", RUNS), ("call", RUNS)];
        assert_eq!(ordered(&told), "[1 poll [2, not over call");
        assert_eq!(ordered(&[("poll", RUNS), ("tick", RUNS), ("say", "")]), "[1 poll say");
    }
}
