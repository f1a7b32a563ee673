//! The state of the class. Only events change the state, in the order in which the file lists the
//! events, so a restarted server has the same state as before. Only `help_asked` and `last` can be
//! lower than before, because the file contains nothing about students who left.

use std::collections::{BTreeMap, BTreeSet};

use cockpit::web::Refusal;
use hyper::StatusCode;

use crate::event::{Event, Report};
use crate::names::Likeness;

/// The maximum number of students in a class.
pub(crate) const MOST: usize = 300;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) begun: u64,
    /// The time of the last event.
    pub(crate) last: u64,
    pub(crate) code: String,
    /// The teacher's token.
    pub(crate) teacher: String,
    pub(crate) students: BTreeMap<u32, Student>,
    pub(crate) is_shut: bool,
    /// The polls that were opened.
    pub(crate) polls: BTreeMap<String, Held>,
    /// The poll that everyone sees.
    pub(crate) current: Option<String>,
    /// The number of times that students asked for help.
    pub(crate) help_asked: u32,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Student {
    pub(crate) name: String,
    pub(crate) likeness: Likeness,
    pub(crate) token: String,
    pub(crate) wants_help: bool,
    pub(crate) report: Option<Report>,
    /// The time of the report with which the student moved on to their current exercise or, before
    /// the first report, the time at which the student joined.
    pub(crate) since: u64,
    /// The time spent on each exercise until `since`, in seconds.
    pub(crate) spent: BTreeMap<String, u64>,
    /// The exercises that the student asked for help with.
    pub(crate) helped: BTreeSet<String>,
}

/// A poll that was opened.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) phase: Phase,
    pub(crate) opened: u64,
    /// How long the poll had been open in total when it was last closed, in seconds.
    pub(crate) open_for: u64,
    pub(crate) answers: BTreeMap<u32, Vec<String>>,
    pub(crate) printed: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Open,
    Closed,
    Played,
}

const fn conflict(why: &'static str) -> Result<(), Refusal> {
    Err(Refusal(StatusCode::CONFLICT, why))
}

impl State {
    pub(crate) fn student(&self, token: &str) -> Option<u32> {
        let found = self.students.iter().find(|(_, student)| student.token == token);
        found.map(|(number, _)| *number)
    }

    /// Returns the poll that everyone sees, if any.
    pub(crate) fn held(&self) -> Option<(&str, &Held)> {
        let id = self.current.as_deref()?;
        Some((id, self.polls.get(id)?))
    }

    /// Fails if a student's name looks like this name.
    pub(crate) fn check_name(&self, likeness: &Likeness) -> Result<(), Refusal> {
        if self.students.values().any(|student| student.likeness.is_like(likeness)) {
            return conflict("someone in the class has this name or a similar-looking name");
        }
        Ok(())
    }

    /// Fails with the reason if an event can't happen now.
    pub(crate) fn check(&self, event: &Event) -> Result<(), Refusal> {
        let phase = self.held().map(|(_, held)| held.phase);
        let not_here = Refusal(StatusCode::UNAUTHORIZED, "you aren't in the class");
        let is_here = |student: &u32| self.students.get(student).map(drop).ok_or(not_here);
        match event {
            Event::Joined { .. } if self.is_shut => conflict("the class is closed to newcomers"),
            Event::Joined { name, .. } => {
                self.check_name(&Likeness::of(name))?;
                if self.students.len() >= MOST {
                    return conflict("the class is full");
                }
                Ok(())
            }
            Event::Opened { poll, .. } => match self.held() {
                Some((id, held)) if held.phase == Phase::Open && id != poll => {
                    conflict("close the open poll first")
                }
                _ => Ok(()),
            },
            Event::Answered { student, poll, .. } => {
                is_here(student)?;
                match self.held() {
                    Some((id, held)) if id == poll && held.phase == Phase::Open => {
                        if held.answers.contains_key(student) {
                            return conflict("you've already answered this poll");
                        }
                        Ok(())
                    }
                    _ => conflict("this poll isn't open"),
                }
            }
            Event::Closed { .. } if phase != Some(Phase::Open) => conflict("no poll is open"),
            Event::Shown { .. } if phase != Some(Phase::Closed) => {
                conflict("only a closed poll's answer can be shown")
            }
            Event::Begun { .. }
            | Event::Door { .. }
            | Event::Closed { .. }
            | Event::Shown { .. }
            | Event::Done { .. } => Ok(()),
            Event::Left { student, .. }
            | Event::Wants { student, .. }
            | Event::Reported { student, .. } => is_here(student),
        }
    }

    /// Applies an event to the state. If the event can't happen, fails with the reason and changes
    /// nothing.
    pub(crate) fn apply(&mut self, event: Event) -> Result<(), Refusal> {
        self.check(&event)?;
        let at = event.at();
        match event {
            Event::Begun { at, code, teacher } => {
                *self = State { begun: at, code, teacher, ..State::default() };
            }
            Event::Joined { at, student, name, token } => {
                let likeness = Likeness::of(&name);
                let joined = Student { name, likeness, token, since: at, ..Student::default() };
                self.students.insert(student, joined);
            }
            Event::Left { student, .. } => {
                self.students.remove(&student);
                for held in self.polls.values_mut() {
                    held.answers.remove(&student);
                }
            }
            Event::Door { open, .. } => self.is_shut = !open,
            Event::Opened { at, poll } => self.open(at, poll),
            Event::Answered { student, typed, .. } => {
                if let Some(held) = self.held_mut() {
                    held.answers.insert(student, typed);
                }
            }
            Event::Closed { at } => self.close(at),
            Event::Shown { printed, .. } => {
                if let Some(held) = self.held_mut() {
                    held.phase = Phase::Played;
                    held.printed = printed;
                }
            }
            Event::Done { at } => {
                self.close(at);
                self.current = None;
            }
            Event::Wants { student, wanted, .. } => self.wants_help(student, wanted),
            Event::Reported { at, student, report } => {
                if let Some(student) = self.students.get_mut(&student) {
                    student.reports(at, report);
                }
            }
        }
        self.last = self.last.max(at);
        Ok(())
    }

    fn held_mut(&mut self) -> Option<&mut Held> {
        self.polls.get_mut(self.current.as_deref()?)
    }

    /// Shows a poll to everyone. Opens the poll unless its answer has already been shown.
    fn open(&mut self, at: u64, poll: String) {
        let held = self.polls.entry(poll.clone()).or_default();
        let is_open_already = held.phase == Phase::Open && self.current.as_ref() == Some(&poll);
        if held.phase != Phase::Played && !is_open_already {
            held.phase = Phase::Open;
            held.opened = at;
        }
        self.current = Some(poll);
    }

    fn close(&mut self, at: u64) {
        if let Some(held) = self.held_mut().filter(|held| held.phase == Phase::Open) {
            held.phase = Phase::Closed;
            held.open_for += at.saturating_sub(held.opened);
        }
    }

    fn wants_help(&mut self, student: u32, wanted: bool) {
        let Some(student) = self.students.get_mut(&student) else { return };
        if wanted && !student.wants_help {
            self.help_asked += 1;
            let exercise = student.report.as_ref().and_then(|report| report.exercise.clone());
            student.helped.extend(exercise);
        }
        student.wants_help = wanted;
    }
}

impl Student {
    /// Records a report. If the student has moved on to a different exercise, the time since
    /// `since` is added to the time spent on the previous one.
    fn reports(&mut self, at: u64, report: Report) {
        let before = self.report.as_ref().and_then(|before| before.exercise.clone());
        if before != report.exercise || self.report.is_none() {
            if let Some(before) = before {
                *self.spent.entry(before).or_default() += at.saturating_sub(self.since);
            }
            self.since = at;
        }
        self.report = Some(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Outcome;

    fn joined(student: u32, name: &str) -> Event {
        let (name, token) = (name.to_owned(), format!("token {student}"));
        Event::Joined { at: 0, student, name, token }
    }

    fn answered(student: u32, text: &str) -> Event {
        let (poll, typed) = ("a".to_owned(), vec![text.to_owned()]);
        Event::Answered { at: 0, student, poll, typed }
    }

    fn opened(at: u64, poll: &str) -> Event {
        Event::Opened { at, poll: poll.to_owned() }
    }

    fn state(events: impl IntoIterator<Item = Event>) -> State {
        let mut state = State::default();
        for event in events {
            state.apply(event).expect("it can happen");
        }
        state
    }

    #[test]
    fn an_answer_is_given_once_and_while_the_poll_is_open() {
        let mut state =
            state([joined(1, "Ann"), joined(2, "Bob"), opened(0, "a"), answered(1, "x")]);
        assert!(state.apply(answered(1, "y")).is_err());
        assert_eq!(state.polls["a"].answers[&1], ["x"]);
        state.apply(Event::Closed { at: 60 }).expect("closed");
        assert!(state.apply(answered(2, "y")).is_err());
        state.apply(opened(70, "a")).expect("open again");
        state.apply(answered(2, "y")).expect("open again");
        state.apply(Event::Closed { at: 100 }).expect("closed");
        assert_eq!(state.polls["a"].open_for, 90);
        assert!(state.apply(answered(3, "y")).is_err(), "nobody has this number");
    }

    #[test]
    fn a_poll_whose_answer_was_shown_takes_no_answers_any_more() {
        let shown = Event::Shown { at: 1, printed: vec!["x".to_owned()] };
        let mut state = state([joined(1, "Ann"), opened(0, "a"), Event::Closed { at: 1 }, shown]);
        state.apply(Event::Done { at: 2 }).expect("done");
        state.apply(opened(3, "a")).expect("looked at again");
        assert!(state.apply(answered(1, "x")).is_err());
        assert_eq!(state.held().expect("a poll").1.printed, ["x"]);
    }

    #[test]
    fn a_second_poll_has_to_wait_until_the_first_is_closed() {
        let mut state = state([opened(0, "a")]);
        assert!(state.apply(opened(1, "b")).is_err());
        state.apply(Event::Closed { at: 2 }).expect("closed");
        state.apply(opened(3, "b")).expect("the next");
    }

    #[test]
    fn who_leaves_takes_everything_along() {
        let mut state = state([joined(1, "Ann"), opened(0, "a"), answered(1, "x")]);
        state.apply(Event::Left { at: 1, student: 1 }).expect("left");
        assert!(state.students.is_empty() && state.polls["a"].answers.is_empty());
        state.apply(joined(2, "Ann")).expect("the name is free");
    }

    #[test]
    fn a_class_has_no_two_names_alike_and_not_too_many() {
        let mut state = state([joined(0, "Ann")]);
        assert!(state.apply(joined(1, "ANN")).is_err());
        for number in 1..300 {
            state.apply(joined(number, &format!("Student {number}x"))).expect("there's room");
        }
        assert!(state.apply(joined(300, "Bob")).is_err());
    }

    #[test]
    fn the_time_between_reports_belongs_to_the_exercise_before() {
        let report = |at, exercise: &str| {
            let exercise = Some(exercise.to_owned());
            let (package, green) = ("step01_fd".to_owned(), BTreeSet::new());
            let report = Report { package, exercise, outcome: Outcome::Red, line: None, green };
            Event::Reported { at, student: 1, report }
        };
        let state = state([
            joined(1, "Ann"),
            report(100, "1.1"),
            report(160, "1.1"),
            report(400, "1.2"),
            report(500, "1.1"),
        ]);
        assert_eq!(state.students[&1].spent["1.1"], 300);
        assert_eq!((state.students[&1].spent["1.2"], state.students[&1].since), (100, 500));
    }
}
