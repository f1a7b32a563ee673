//! The heap with lazy cancellation and its sweep. The figure shows the entries of step 04's
//! `TimerHeap`, in the heap's own order.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use step04_timers::{Time, TimerHeap};

use crate::lines::thousands;

use super::shapes::{Look, Shape};
use super::{Answer, Figure, Set, State};

/// The deadlines of the chapter's picture, in milliseconds.
const DEADLINES: [u64; 5] = [100, 200, 300, 900, 500];
/// The timeout, in milliseconds, for a request whose answer arrives long before the timeout
/// expires.
const REQUEST: u64 = 30_000;
/// The deadline, in milliseconds, of the timer that the question is about.
const ASKED: u64 = 300;
/// The positions of the boxes for the entries that we draw as a tree. We only count the remaining
/// entries.
const TREE: [(usize, usize); 7] =
    [(140, 62), (48, 112), (232, 112), (2, 162), (94, 162), (186, 162), (278, 162)];
const BOX: (usize, usize) = (62, 26);

/// An entry in the heap: its deadline in milliseconds, and whether its timer was cancelled.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    when: u64,
    is_dead: bool,
}

/// A heap at one moment: the last call, its effect, and the entries in the order of the heap's
/// list.
#[derive(Debug)]
struct Moment {
    call: &'static str,
    says: String,
    entries: Vec<Entry>,
}

/// The cost of setting and cancelling timers until the heap is swept, with `live` other timers in
/// the heap.
#[derive(Debug, PartialEq)]
struct Cost {
    live: usize,
    cancels: usize,
    /// The number of entries that the sweep checked.
    looks: usize,
}

pub(super) fn figure() -> Result<Figure> {
    let moments = moments()?;
    let still = moments.len() - 2;
    let states = moments.iter().map(Moment::state).collect();
    Ok(Figure {
        name: "heap",
        title: "A heap whose timers are cancelled",
        question: format!("when does the entry of {ASKED} leave the heap?"),
        answers: answers(),
        explains: explained()?,
        choices: ["", ""],
        sets: vec![Set::of(states)],
        still: [0, 0, still],
    })
}

fn answers() -> Vec<Answer> {
    vec![
        Answer::right("when the heap has more than a hundred entries"),
        Answer::wrong(
            "with its cancel",
            "cancel takes only the payload. To find the entry, it would have to search.",
        ),
        Answer::wrong(
            "when next_timeout has dropped 100",
            "it drops dead entries only from the top. 200 is alive, so it looks no further.",
        ),
        Answer::wrong(
            "when 200 has fired, and 300 is on top",
            "that's how it would leave a quiet heap. Here the dead entries pile up, and a sweep comes first.",
        ),
    ]
}

fn explained() -> Result<String> {
    let mut text =
        "How much does a cancel cost, with its part of the next sweep? This was counted on the \
                    real heap, beside 3, 200 and 100,000 live timers:\n\n\
                    | alive | entries at the sweep | cancels before it | looks per cancel |\n\
                    | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for live in [3, 200, 100_000] {
        let Cost { cancels, looks, .. } = cost(live)?;
        let tenths = (looks * 10 + cancels / 2) / cancels;
        let [live, looks, cancels] = [live, looks, cancels].map(thousands);
        writeln!(text, "| {live} | {looks} | {cancels} | {}.{} |", tenths / 10, tenths % 10)?;
    }
    Ok(text)
}

fn milliseconds(count: u64) -> Time {
    Time::ZERO + Duration::from_millis(count)
}

/// Sets and cancels timers on the real heap until the heap is swept. Returns the moments that the
/// figure shows, each with a call and the heap's entries after the call.
fn moments() -> Result<Vec<Moment>> {
    let mut timers = TimerHeap::new();
    let mut moments = Vec::new();
    let mut note = |timers: &TimerHeap<()>, call, says: String| -> Result<()> {
        moments.push(Moment { call, says, entries: entries(timers)? });
        Ok(())
    };
    let ids = DEADLINES.map(|when| timers.push(milliseconds(when), ()));
    note(&timers, "push", "Five timers wait, and the nearest is on top.".to_owned())?;
    let says = "cancel takes the payload of 300. Its entry is dead now but stays where it is.";
    timers.cancel(ids[2]);
    note(&timers, "cancel", says.to_owned())?;
    timers.cancel(ids[0]);
    note(&timers, "cancel", "100 is on top, and cancel leaves its entry, too.".to_owned())?;
    let may_sleep = timers.next_timeout(Time::ZERO).context("a live timer")?;
    let says = format!(
        "next_timeout drops dead entries from the top until a live one is there: 200, so the loop may sleep \
         {} ms. It doesn't look at the entries below.",
        may_sleep.as_millis()
    );
    note(&timers, "next_timeout", says)?;
    for request in 1.. {
        let before = timers.scheduled();
        let timer = timers.push(milliseconds(REQUEST), ());
        timers.cancel(timer);
        let count = timers.scheduled();
        let (added, dead) = (entries(&timers)?, count - timers.len());
        timers.next_timeout(Time::ZERO);
        let is_swept = timers.scheduled() < count;
        if is_swept || request < 3 || request % 48 == 0 {
            let worth = if is_swept { ", which is worth a sweep" } else { "" };
            let says = format!(
                "Request {request} has set its timer and cancelled it: {count} entries, {dead} of them \
                 dead{worth}."
            );
            moments.push(Moment { call: "cancel", says, entries: added });
        }
        if is_swept {
            let says = format!(
                "More than a hundred, and more than half of them dead: next_timeout sweeps. It looks at all \
                 {count} entries and keeps the {} that are alive.",
                timers.scheduled()
            );
            moments.push(Moment { call: "next_timeout", says, entries: entries(&timers)? });
            break;
        }
        ensure!(
            timers.scheduled() == before + 1,
            "an entry has left below a live top, without a sweep"
        );
    }
    Ok(moments)
}

fn cost(live: usize) -> Result<Cost> {
    let mut timers = TimerHeap::new();
    for _ in 0..live {
        timers.push(milliseconds(1), ());
    }
    let mut cancels = 0;
    loop {
        let timer = timers.push(milliseconds(REQUEST), ());
        timers.cancel(timer);
        cancels += 1;
        let looks = timers.scheduled();
        ensure!(looks == live + cancels, "an entry has left without a sweep");
        timers.next_timeout(Time::ZERO);
        if timers.scheduled() < looks {
            return Ok(Cost { live, cancels, looks });
        }
    }
}

/// Returns a heap's entries, in the order of its list. We read the entries from the heap's `Debug`
/// output.
fn entries(timers: &TimerHeap<()>) -> Result<Vec<Entry>> {
    let shown = format!("{timers:?}");
    let (heap, slots) = shown.split_once("payloads").context("a heap has payloads")?;
    let entries = heap.split("Entry { when: Time(").skip(1).map(|entry| {
        let (when, rest) = entry.split_once("), sequence: ")?;
        let (sequence, _) = rest.split_once(' ')?;
        let is_live = slots.contains(&format!("sequence: {sequence}, payload: Some"));
        Some(Entry { when: when.parse::<u64>().ok()? / 1_000_000, is_dead: !is_live })
    });
    let entries = entries.collect::<Option<Vec<Entry>>>().context("an entry in other words")?;
    ensure!(entries.len() == timers.scheduled(), "{} entries in {shown}", entries.len());
    Ok(entries)
}

impl Entry {
    fn words(self) -> String {
        let mark = if self.is_dead { " ✗" } else { "" };
        match self.when {
            REQUEST => format!("{} s{mark}", REQUEST / 1000),
            when => format!("{when}{mark}"),
        }
    }
}

impl Moment {
    fn state(&self) -> State {
        let dead = self.entries.iter().filter(|entry| entry.is_dead).count();
        let count = format!(
            "{} entries: {} alive, {dead} dead (✗)",
            self.entries.len(),
            self.entries.len() - dead
        );
        let mut shapes = vec![
            Shape::label(2, 16, &format!("{}()", self.call), Look::Bold),
            Shape::label(2, 40, &count, Look::Plain),
        ];
        for (at, (x, y)) in TREE.into_iter().enumerate().take(self.entries.len()) {
            if at > 0 {
                let parent = TREE[(at - 1) / 2];
                let from = (parent.0 + BOX.0 / 2, parent.1 + BOX.1);
                shapes.push(Shape::Line {
                    from,
                    to: (x + BOX.0 / 2, y),
                    has_head: false,
                    look: Look::Plain,
                });
            }
            let entry = self.entries[at];
            let look = match entry.when {
                ASKED => Look::Now,
                _ if entry.is_dead => Look::Faint,
                _ => Look::Plain,
            };
            let (width, height) = BOX;
            shapes.push(Shape::Box { x, y, width, height, words: entry.words(), look });
        }
        // Below the tree, where all entries are dead, draw a bar whose length is proportional to
        // their number.
        if let Some(more) = self.entries.get(TREE.len()..).filter(|more| !more.is_empty()) {
            let dead = more.iter().filter(|entry| entry.is_dead).count();
            let words = format!("and {dead} more ✗");
            let width = 120 + 2 * more.len();
            shapes.push(Shape::Box { x: 2, y: 212, width, height: 26, words, look: Look::Faint });
        }
        State { says: self.says.clone(), shapes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead(moment: &Moment) -> Vec<u64> {
        moment.entries.iter().filter(|entry| entry.is_dead).map(|entry| entry.when).collect()
    }

    #[test]
    fn a_dead_entry_leaves_from_the_top_or_in_a_sweep() {
        let moments = moments().expect("moments");
        assert_eq!(dead(&moments[1]), [300]);
        assert_eq!(dead(&moments[2]), [100, 300]);
        assert_eq!(dead(&moments[3]), [300], "next_timeout looks only at the top");
        let [.., before, after] = &moments[..] else { panic!("a sweep") };
        assert_eq!((before.entries.len(), dead(before).len()), (101, 98));
        assert_eq!((after.entries.len(), dead(after).len()), (3, 0));
        assert!(dead(before).contains(&ASKED));
    }

    #[test]
    fn the_right_answer_is_what_the_states_show() {
        let figure = figure().expect("a figure");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, "when the heap has more than a hundred entries");
        let asked = |state: &State| {
            state.shapes.iter().any(|shape| shape.words().is_some_and(|it| it.starts_with("300")))
        };
        let states = &figure.sets[0].runs[0].states;
        let with_it = states.iter().filter(|state| asked(state)).count();
        assert_eq!(with_it + 1, states.len(), "it's there until the last state");
    }

    #[test]
    fn a_list_is_drawn_as_a_tree_in_which_no_entry_is_due_before_its_parent() {
        for moment in moments().expect("moments") {
            for (at, entry) in moment.entries.iter().enumerate().skip(1) {
                assert!(moment.entries[(at - 1) / 2].when <= entry.when, "{moment:?}");
            }
            let below = moment.entries.get(TREE.len()..).unwrap_or_default();
            assert!(below.iter().all(|entry| entry.is_dead), "the bar says that they're dead");
        }
    }

    #[test]
    fn a_cancel_costs_about_two_looks_however_many_timers_are_alive() {
        for (live, cancels, looks) in [(3, 98, 101), (200, 201, 401), (100_000, 100_001, 200_001)] {
            assert_eq!(cost(live).expect("a sweep"), Cost { live, cancels, looks });
        }
    }
}
