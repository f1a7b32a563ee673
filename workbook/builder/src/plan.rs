//! The plans for a class, from `book/teaching.toml`: what the class does in each minute of a
//! session.
//!
//! The time for each exercise is the number of minutes that the exercise declares, so a plan always
//! adds up. The book doesn't build if a session exceeds its time limit, or if a plan names an
//! exercise or a prediction that doesn't exist. `plan_page.rs` shows the plans.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::exercises::ExerciseSource;
use crate::predictions::{self, Prediction};
use crate::steps::read;

/// The plans, the questions that help a student who's stuck, and the exercises and predictions of
/// all steps.
pub(crate) struct Plans {
    pub(crate) sessions: Vec<Session>,
    pub(crate) questions: Vec<Question>,
    pub(crate) exercises: Vec<ExerciseSource>,
    pub(crate) predictions: Vec<Prediction>,
}

/// The contents of `teaching.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    session: Vec<Session>,
    question: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// The session's name, as in `{{#session first}}`.
    pub(crate) name: String,
    /// The session's heading.
    pub(crate) title: String,
    /// The time at which the session begins, in minutes since midnight, or 0 if its times are
    /// relative to its beginning.
    pub(crate) begins: u32,
    /// The session's time limit, in minutes.
    pub(crate) limit: u32,
    #[serde(rename = "part")]
    pub(crate) activities: Vec<Activity>,
    /// The exercises to write at home.
    pub(crate) homework: Vec<String>,
}

/// An activity for the whole class, with the time that it takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Activity {
    pub(crate) does: String,
    /// The minutes that the activity takes in addition to its exercises.
    #[serde(default)]
    minutes: u32,
    #[serde(default)]
    pub(crate) exercises: Vec<String>,
    /// The predictions with which the activity begins. Each item is a scene's name or some words
    /// from the question of a fold or a figure.
    #[serde(default)]
    pub(crate) predicts: Vec<String>,
    /// The activity that replaces this activity if the class is running late.
    #[serde(default)]
    pub(crate) late: String,
    /// The minutes that the replacement takes.
    #[serde(default)]
    late_minutes: u32,
    /// The part of the loop that the class has finished by the end of this activity. Empty unless
    /// the end of the activity is a good place to stop.
    #[serde(default)]
    pub(crate) stop: String,
}

/// A question that helps a student who has made a mistake.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The step whose table contains the question.
    pub(crate) step: String,
    /// The exercises in which students make the mistake. Empty if students make the mistake in a
    /// prediction.
    #[serde(default)]
    pub(crate) exercises: Vec<String>,
    /// A description of the mistake.
    pub(crate) wrong: String,
    /// What a verdict or a transcript shows if a student has made the mistake.
    #[serde(default)]
    pub(crate) sees: String,
    pub(crate) asks: String,
}

impl Plans {
    /// Reads the plans. Fails if a plan exceeds its time limit or names something that doesn't
    /// exist.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let file: File = toml::from_str(&read(&root.join("book/teaching.toml"))?)?;
        let sheets = predictions::sheets(root)?;
        let predictions = sheets.into_iter().flat_map(|sheet| sheet.predictions).collect();
        let exercises = ExerciseSource::all(root)?;
        let (sessions, questions) = (file.session, file.question);
        let plans = Plans { sessions, questions, exercises, predictions };
        for session in &plans.sessions {
            plans.check(session).with_context(|| format!("session {}", session.name))?;
        }
        for Question { exercises, asks, .. } in &plans.questions {
            plans.minutes(exercises).with_context(|| format!("question {asks:?}"))?;
        }
        Ok(plans)
    }

    fn check(&self, session: &Session) -> Result<()> {
        let minutes = self.minutes_of(&session.activities)?;
        ensure!(minutes <= session.limit, "{minutes} minutes of {}", session.limit);
        self.minutes(&session.homework)?;
        for activity in &session.activities {
            for words in &activity.predicts {
                self.prediction(words)?;
            }
            let is_odd = activity.late.is_empty() && activity.late_minutes > 0;
            ensure!(!is_odd, "minutes for nothing that's done when late: {activity:?}");
        }
        Ok(())
    }

    pub(crate) fn session(&self, name: &str) -> Result<&Session> {
        let found = self.sessions.iter().find(|session| session.name == name);
        found.with_context(|| format!("teaching.toml has no session `{name}`"))
    }

    pub(crate) fn exercise(&self, number: &str) -> Result<&ExerciseSource> {
        let found = self.exercises.iter().find(|exercise| exercise.number == number);
        found.with_context(|| format!("there's no exercise {number}"))
    }

    /// Returns the prediction whose name contains `words`. Fails unless there's exactly one such
    /// prediction.
    pub(crate) fn prediction(&self, words: &str) -> Result<&Prediction> {
        let mut found = self.predictions.iter().filter(|it| it.name.contains(words));
        let prediction = found.next().with_context(|| format!("no chapter predicts {words:?}"))?;
        ensure!(found.next().is_none(), "several predictions have the words {words:?}");
        Ok(prediction)
    }

    /// Returns the total number of minutes that these exercises declare.
    pub(crate) fn minutes(&self, numbers: &[String]) -> Result<u32> {
        numbers.iter().map(|number| Ok(u32::from(self.exercise(number)?.minutes))).sum()
    }

    /// Returns the numbers of all non-optional exercises in a step. `step` is a short name, such as
    /// `step02`.
    pub(crate) fn numbers_of(&self, step: &str) -> Vec<String> {
        let is_its = |it: &&ExerciseSource| it.package.starts_with(step) && !it.is_optional;
        let of_step = self.exercises.iter().filter(is_its);
        of_step.map(|exercise| exercise.number.clone()).collect()
    }

    /// Returns the total number of minutes that these activities take if each exercise takes as
    /// long as it declares.
    pub(crate) fn minutes_of(&self, activities: &[Activity]) -> Result<u32> {
        self.minutes_at(activities, 100, false)
    }

    /// Returns the total number of minutes that these activities take a class that needs `pace`
    /// percent of the minutes that the exercises declare. The pace affects only the exercises,
    /// because the teacher controls the time for everything else. A class that's running late
    /// replaces every activity that has a replacement.
    pub(crate) fn minutes_at(
        &self,
        activities: &[Activity],
        pace: u32,
        is_late: bool,
    ) -> Result<u32> {
        let hundredths = activities.iter().map(|activity| match activity.late.as_str() {
            late if is_late && !late.is_empty() => Ok(activity.late_minutes * 100),
            _ => Ok(activity.minutes * 100 + pace * self.minutes(&activity.exercises)?),
        });
        Ok((hundredths.sum::<Result<u32>>()? + 50) / 100)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::tests::root;

    const DAY: &str = "name = \"day\"\ntitle = \"A day\"\nbegins = 540\nlimit = 30\nhomework = []\n\
                       [[part]]\ndoes = \"talk\"\nminutes = 15\n\
                       [[part]]\ndoes = \"write\"\nexercises = [\"1.3\"]\n\
                       late = \"copy\"\nlate_minutes = 2\n";

    /// All tests share one copy of the plans, because reading the plans means reading the whole
    /// book.
    pub(crate) static PLANS: LazyLock<Plans> =
        LazyLock::new(|| Plans::read(root()).expect("plans that can be carried out"));

    fn session(text: &str) -> Session {
        toml::from_str(text).expect("a session")
    }

    #[test]
    fn a_session_of_three_hours_takes_three_hours_at_most() {
        let plans = &*PLANS;
        for (session, most) in plans.sessions.iter().zip([180, 180, 180, 180, 480]) {
            let minutes = plans.minutes_of(&session.activities).expect("minutes");
            assert!(minutes <= most, "{}: {minutes} minutes", session.name);
        }
        assert_eq!(plans.sessions.len(), 5);
    }

    #[test]
    fn a_plan_that_takes_too_long_or_names_what_is_not_there_is_an_error() {
        let plans = &*PLANS;
        let said = |text: &str| plans.check(&session(text)).expect_err("an error").to_string();
        plans.check(&session(DAY)).expect("it fits");
        assert_eq!(said(&DAY.replace("minutes = 15", "minutes = 21")), "31 minutes of 30");
        assert_eq!(said(&DAY.replace("\"1.3\"", "\"1.99\"")), "there's no exercise 1.99");
        let predicts = DAY.replace("minutes = 15", "minutes = 15\npredicts = [\"a unicorn\"]");
        assert_eq!(said(&predicts), "no chapter predicts \"a unicorn\"");
        let predicts = predicts.replace("a unicorn", "the");
        assert_eq!(said(&predicts), "several predictions have the words \"the\"");
    }

    #[test]
    fn each_step_s_questions_are_in_a_table_of_the_chapter() {
        let chapter = read(&root().join("book/src/teaching.md")).expect("the chapter");
        let tables = chapter.lines().filter_map(|line| line.strip_prefix("{{#questions "));
        let steps = tables.flat_map(|line| line.trim_end_matches("}}").split(' '));
        let steps: Vec<&str> = steps.collect();
        for question in &PLANS.questions {
            let is_shown = steps.iter().filter(|step| **step == question.step).count() == 1;
            assert!(is_shown, "{}: {}", question.step, question.asks);
        }
    }

    #[test]
    fn the_four_sessions_and_their_homework_have_each_exercise_of_five_steps_once() {
        let plans = &*PLANS;
        let mut planned = Vec::new();
        for session in &plans.sessions[..4] {
            planned.extend(session.activities.iter().flat_map(|activity| &activity.exercises));
            planned.extend(&session.homework);
        }
        planned.retain(|number| !number.starts_with('6'));
        planned.sort();
        let steps = ["step01", "step02", "step03", "step04", "step05"];
        let declared: Vec<String> = steps.iter().flat_map(|step| plans.numbers_of(step)).collect();
        assert_eq!(planned, declared.iter().collect::<Vec<&String>>());
    }

    #[test]
    fn only_the_exercises_take_longer_at_another_pace_and_a_late_class_skips() {
        let (plans, day) = (&*PLANS, session(DAY));
        let takes =
            |pace, is_late| plans.minutes_at(&day.activities, pace, is_late).expect("minutes");
        assert_eq!([takes(75, false), takes(100, false), takes(200, false)], [23, 25, 35]);
        assert_eq!([takes(100, true), takes(200, true)], [17, 17]);
    }

    /// The chapter describes these times in words below the table.
    #[test]
    fn the_paces_come_out_as_the_chapter_says() {
        let plans = &*PLANS;
        let ends = |index: usize, pace, is_late| {
            let activities = &plans.sessions[index].activities;
            plans.minutes_at(activities, pace, is_late).expect("minutes")
        };
        assert!(ends(0, 80, false) <= 160 && ends(1, 80, false) <= 160);
        assert_eq!([ends(0, 120, false), ends(1, 120, false)], [180, 183]);
        assert!(ends(0, 150, false) > 180 && ends(1, 150, false) > 180);
        assert!(ends(0, 150, true) <= 170 && ends(1, 150, true) <= 170);

        let activities = &plans.sessions[0].activities;
        let is_read = |activity: &Activity| activity.exercises.iter().any(|number| number == "1.5");
        let until = activities.iter().position(is_read).expect("exercise 1.5");
        let read_at = |pace| plans.minutes_at(&activities[..=until], pace, false).expect("minutes");
        assert_eq!([read_at(120) - read_at(100), read_at(150) - read_at(100)], [9, 23]);
    }
}
