//! The students' and the teacher's views of the state, as JSON. Students see the poll, their own
//! answers and the class's misconceptions, but not any other student's answer.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::event::Outcome;
use crate::polls::{Asks, Poll};
use crate::state::{Held, Phase, State, Student};
use crate::{Exercise, Material};

/// The number of students who must share a misconception before we show it.
const SHARED: usize = 3;

/// The minimum number of students in a group with the same red line.
const GROUP: usize = 2;

impl Phase {
    pub(crate) fn word(self, is_playing: bool) -> &'static str {
        match self {
            Phase::Open => "open",
            Phase::Closed if is_playing => "playing",
            Phase::Closed => "closed",
            Phase::Played => "played",
        }
    }
}

/// Returns the part of the current poll that's the same for everyone. `playing` contains the lines
/// that have arrived so far.
pub(crate) fn poll(material: &Material, state: &State, playing: Option<&[String]>) -> Value {
    let Some((poll, held)) = current(material, state) else { return Value::Null };
    let place = material.sessions.iter().find_map(|session| {
        let number = session.polls.iter().position(|id| *id == poll.id)? + 1;
        Some((number, session.polls.len()))
    });
    json!({
        "id": poll.id,
        "title": poll.title,
        "kind": poll.kind,
        "number": place.map(|(number, _)| number),
        "of": place.map(|(_, of)| of),
        "question": poll.question,
        "code": poll.code,
        "phase": held.phase.word(playing.is_some()),
        "asks": poll.asks(),
        "printed": playing.unwrap_or(&held.printed),
    })
}

/// Returns the poll that everyone sees.
pub(crate) fn current<'a>(
    material: &'a Material,
    state: &'a State,
) -> Option<(&'a Poll, &'a Held)> {
    let (id, held) = state.held()?;
    Some((material.poll(id)?, held))
}

/// Returns the part of an outcome that's the same for everyone, once the answer has been shown.
pub(crate) fn result(poll: &Poll, held: &Held) -> Value {
    json!({
        "event": "result",
        "id": poll.id,
        "text": poll.texts(),
        "explanation": poll.explanation,
        "misconceptions": misconceptions(poll, held),
    })
}

/// Returns the judgement on a student's answer, line by line.
pub(crate) fn own_result(poll: &Poll, held: &Held, student: u32) -> (Value, Value) {
    let typed = held.answers.get(&student);
    let judged = |at: usize| poll.judge(at, typed?.get(at)?);
    let lines = 0..poll.blanks().len();
    let right: Vec<Option<bool>> = lines.clone().map(|at| Some(judged(at)?.is_right)).collect();
    let overlooks: Vec<Option<&str>> = lines.map(|at| judged(at)?.overlooks).collect();
    (json!(right), json!(overlooks))
}

/// Returns the misconceptions that several students share, with the most frequent first.
fn misconceptions(poll: &Poll, held: &Held) -> Vec<Value> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for typed in held.answers.values() {
        let judged = typed.iter().enumerate().filter_map(|(at, typed)| poll.judge(at, typed));
        let mut overlooked: Vec<&str> = judged.filter_map(|it| it.overlooks).collect();
        overlooked.sort_unstable();
        // A student who overlooks the same fact in two lines still counts once.
        overlooked.dedup();
        for overlooks in overlooked {
            *counts.entry(overlooks).or_default() += 1;
        }
    }
    let mut shared: Vec<_> = counts.into_iter().filter(|(_, count)| *count >= SHARED).collect();
    shared.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let told = |(overlooks, count)| {
        let chosen = poll.chosen_by_those_who_overlook(overlooks);
        json!({ "overlooks": overlooks, "count": count, "chosen": chosen })
    };
    shared.into_iter().map(told).collect()
}

/// Returns the class's answers, for the bars. Until the answer has been shown, the bars don't
/// reveal which answer is right, because they're projected on the wall.
pub(crate) fn bars(poll: &Poll, held: &Held) -> Value {
    let shown = held.phase == Phase::Played;
    json!({
        "event": "result",
        "id": poll.id,
        "shown": shown,
        "answered": held.answers.len(),
        "lines": lines(poll, held, shown),
        "explanation": shown.then_some(&poll.explanation),
        "misconceptions": if shown { misconceptions(poll, held) } else { Vec::new() },
    })
}

fn lines(poll: &Poll, held: &Held, shown: bool) -> Vec<Value> {
    let texts = poll.texts();
    let lines = poll.blanks().into_iter().enumerate().map(|(at, (asked, is_asked))| {
        let typed = held.answers.values().filter_map(|typed| Some(typed.get(at)?.as_str()));
        let (right, groups) = poll.groups(at, typed);
        let answers: Vec<Value> = groups
            .into_iter()
            .map(|group| {
                json!({
                    "typed": group.typed,
                    "count": group.count,
                    "right": shown.then_some(group.right),
                    "overlooks": group.overlooks.filter(|_| shown),
                })
            })
            .collect();
        json!({
            "asked": asked,
            "given": !is_asked,
            "text": shown.then_some(texts[at]),
            "right": shown.then_some(right),
            "answers": answers,
        })
    });
    lines.collect()
}

/// Returns the board: the class, with students who want help first, and the groups of students with
/// the same red line.
pub(crate) fn board(
    material: &Material,
    state: &State,
    now: u64,
    is_connected: impl Fn(u32) -> bool,
) -> Value {
    let answers = state.held().map(|(_, held)| &held.answers);
    let mut students: Vec<(&u32, &Student)> = state.students.iter().collect();
    students.sort_by_cached_key(|(_, student)| {
        let red = student.report.as_ref().is_some_and(|report| report.outcome != Outcome::Green);
        (!student.wants_help, !red, student.since, student.name.to_lowercase())
    });
    let students = students.into_iter().map(|(number, student)| {
        let report = student.report.as_ref().map(|report| {
            json!({
                "package": report.package,
                "exercise": report.exercise,
                "outcome": report.outcome,
                "line": report.line,
                "green": report.green,
                "since": now.saturating_sub(student.since),
            })
        });
        json!({
            "name": student.name,
            "answered": answers.is_some_and(|answers| answers.contains_key(number)),
            "help": student.wants_help,
            "connected": is_connected(*number),
            "report": report,
        })
    });
    let students: Vec<Value> = students.collect();
    json!({
        "event": "class",
        "students": students,
        "groups": groups(material, state),
        "door": !state.is_shut,
    })
}

/// Returns the groups of students who have the same red line in the same exercise, with the largest
/// group first.
fn groups(material: &Material, state: &State) -> Vec<Value> {
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for student in state.students.values() {
        if let Some(report) = student.report.as_ref().filter(|it| it.outcome == Outcome::Red)
            && let (Some(exercise), Some(line)) = (&report.exercise, &report.line)
        {
            groups.entry((exercise, line)).or_default().push(&student.name);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, names)| names.len() >= GROUP).collect();
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let told = groups.into_iter().map(|((exercise, line), names)| {
        let question = material.exercise(exercise).and_then(|it| it.question_for(line));
        json!({ "exercise": exercise, "line": line, "names": names, "question": question })
    });
    told.collect()
}

/// Returns the data for the page after the session: the polls, starting with those that students
/// got wrong most often, and the time spent on each exercise.
pub(crate) fn afterwards(material: &Material, state: &State) -> Value {
    let held = state.polls.iter().filter(|(_, held)| held.phase != Phase::Open);
    let mut polls: Vec<(f64, Value)> = held
        .filter_map(|(id, held)| {
            let poll = material.poll(id)?;
            let lines = lines(poll, held, true);
            let share = share_right(&lines, held.answers.len());
            let told = json!({
                "id": id,
                "title": poll.title,
                "question": poll.question,
                "minutes": minutes(held.open_for),
                "answered": held.answers.len(),
                "share_right": share,
                "lines": lines,
            });
            Some((share.unwrap_or(1.0), told))
        })
        .collect();
    polls.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let polls: Vec<Value> = polls.into_iter().map(|(_, poll)| poll).collect();
    let exercises: Vec<Value> =
        material.exercises.iter().filter_map(|exercise| spent_at(exercise, state)).collect();
    // A class's file can be older than the workbook, so it can name exercises that no longer exist.
    let is_in = |number: &String| {
        let is_in = |student: &Student| {
            let report = student.report.as_ref();
            let named = report.into_iter().flat_map(|it| it.exercise.iter().chain(&it.green));
            named.chain(student.spent.keys()).any(|named| named == number)
        };
        state.students.values().any(is_in)
    };
    let gone = material.gone.iter().filter(|gone| is_in(&gone.number)).map(|gone| &gone.told);
    json!({
        "begun": state.begun,
        "students": state.students.len(),
        "polls": polls,
        "exercises": exercises,
        "gone": gone.collect::<Vec<_>>(),
        "help_asked": state.help_asked,
    })
}

/// Returns the share of right answers among all possible answers, if there are any.
fn share_right(lines: &[Value], students: usize) -> Option<f64> {
    let asked: Vec<&Value> = lines.iter().filter(|line| line["given"] == false).collect();
    let right: u64 = asked.iter().filter_map(|line| line["right"].as_u64()).sum();
    let all = asked.len() * students;
    #[allow(clippy::cast_precision_loss, reason = "a few thousand answers")]
    (all > 0).then(|| right as f64 / all as f64)
}

fn spent_at(exercise: &Exercise, state: &State) -> Option<Value> {
    let Exercise { number, name, package, minutes: declared, .. } = exercise;
    let spent = |student: &Student| student.spent.get(number).copied();
    let mut times: Vec<u64> = state.students.values().filter_map(spent).collect();
    times.sort_unstable();
    let is_at = |student: &&Student| {
        let report = student.report.as_ref();
        let is_now = report.is_some_and(|report| report.exercise.as_ref() == Some(number));
        is_now || student.spent.contains_key(number)
    };
    let is_green = |student: &&Student| {
        student.report.as_ref().is_some_and(|report| report.green.contains(number))
    };
    let at = state.students.values().filter(is_at).count();
    let helped = state.students.values().filter(|it| it.helped.contains(number)).count();
    (at > 0).then(|| {
        json!({
            "exercise": number,
            "name": name,
            "package": package,
            "declared": declared,
            "at": at,
            "minutes": times.get(times.len() / 2).map(|&seconds| minutes(seconds)),
            "longest": times.last().map(|&seconds| minutes(seconds)),
            "green": state.students.values().filter(is_green).count(),
            "helped": helped,
        })
    })
}

fn minutes(seconds: u64) -> f64 {
    // The minutes are rounded down to a tenth.
    f64::from(u32::try_from(seconds / 6).unwrap_or(u32::MAX)) / 10.0
}

/// Returns the sessions and polls from which the teacher can choose.
pub(crate) fn offered(material: &Material, state: &State) -> (Value, Value) {
    let is_played = |id: &str| state.polls.get(id).is_some_and(|it| it.phase == Phase::Played);
    let sessions = material.sessions.iter().map(
        |session| json!({ "name": session.name, "title": session.title, "polls": session.polls }),
    );
    let polls = material.polls.iter().map(|poll| {
        json!({
            "id": poll.id,
            "title": poll.title,
            "kind": poll.kind,
            "package": poll.package,
            "page": poll.page,
            "played": is_played(&poll.id),
            "plays": matches!(poll.asks, Asks::Lines { .. }),
        })
    });
    (sessions.collect(), polls.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Gone;
    use crate::event::{Event, Report};

    #[test]
    fn the_page_after_the_session_says_which_of_its_exercises_are_gone() {
        let gone =
            |number: &str| Gone { number: number.to_owned(), told: format!("{number} is gone") };
        let gone = ["1.2", "1.3", "1.4", "1.9"].map(gone).into();
        let material = Material { gone, ..Material::default() };
        let mut state = State::default();
        let begun = Event::Begun { at: 0, teacher: "t".to_owned(), code: "c".to_owned() };
        let joined =
            Event::Joined { at: 1, student: 1, name: "Ann".to_owned(), token: "a".to_owned() };
        let report = |at, exercise: &str| {
            let (package, exercise) = ("step01_fd".to_owned(), Some(exercise.to_owned()));
            let green = ["1.1".to_owned(), "1.4".to_owned()].into();
            let report = Report { package, exercise, outcome: Outcome::Red, line: None, green };
            Event::Reported { at, student: 1, report }
        };
        for event in [begun, joined, report(2, "1.2"), report(200, "1.3")] {
            state.apply(event).expect("it can happen");
        }
        let told = afterwards(&material, &state);
        assert_eq!(told["gone"], json!(["1.2 is gone", "1.3 is gone", "1.4 is gone"]));
    }
}
