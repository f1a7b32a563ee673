//! Ticks: a loop tells of a tick when it's over, and a reader wants to see it when it begins.

use super::noted::Noted;

/// Between the entries of a list.
const NEXT: char = '\u{1f}';

/// What comes next in a run.
pub(super) enum Next<'n, 'a> {
    Moment(&'n Noted<'a>),
    Tick(Tick<'n, 'a>),
}

/// The beginning of a tick.
#[derive(Clone, Copy)]
pub(super) struct Tick<'n, 'a> {
    pub(super) number: usize,
    /// What the loop has told at its end. A tick in which a run has got stuck has none.
    pub(super) end: Option<&'n Noted<'a>>,
}

impl<'a> Tick<'_, 'a> {
    /// Returns the timers that have become due in it.
    pub(super) fn due(&self) -> Vec<&'a str> {
        let due = self.end.and_then(|end| end.field("due")).unwrap_or_default();
        due.split(NEXT).filter(|timer| !timer.is_empty()).collect()
    }
}

/// Returns the moments, with each tick where it begins: behind the tick before it, or behind the last moment
/// at which no loop ran.
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
        // Another thread knows nothing of the loop, and a loop that couldn't answer tells nothing.
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
