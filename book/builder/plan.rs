//! The plans for a class: what's done in each minute of a session, from `book/teaching.toml`.
//!
//! The minutes of the exercises are those that the exercises declare, so a plan adds up by
//! construction. The book doesn't build if a session takes longer than it may, or if a plan names an
//! exercise or a prediction that doesn't exist.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::exercises::ExerciseSource;
use crate::predictions::{self, Prediction};
use crate::steps::read;

/// Four paces, in per cent of the minutes that the exercises declare.
const PACES: [u32; 4] = [75, 100, 150, 200];

/// The content of `teaching.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plans {
    #[serde(rename = "session")]
    pub(crate) sessions: Vec<Session>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// How `{{#session first}}` names it.
    pub(crate) name: String,
    /// When it begins, in minutes since midnight; 0 if its times count from its beginning.
    begins: u32,
    /// How many minutes it may take.
    pub(crate) limit: u32,
    #[serde(rename = "part")]
    parts: Vec<Part>,
    /// The exercises to write at home.
    homework: Vec<String>,
}

/// What's done together, and for how long.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    does: String,
    /// The minutes besides those of its exercises.
    #[serde(default)]
    minutes: u32,
    #[serde(default)]
    exercises: Vec<String>,
    /// The predictions it begins with: each a scene's name, or words of what a fold asks.
    #[serde(default)]
    predicts: Vec<String>,
    /// What to do instead if the class is late.
    #[serde(default)]
    late: String,
    /// How many minutes that takes.
    #[serde(default)]
    late_minutes: u32,
    /// What the class can do by then, if it's a good place to stop.
    #[serde(default)]
    stop: String,
}

impl Plans {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let plans: Self = toml::from_str(&read(&root.join("book/teaching.toml"))?)?;
        let exercises = ExerciseSource::all(root)?;
        for session in &plans.sessions {
            session.check(&exercises).with_context(|| format!("session {}", session.name))?;
        }
        Ok(plans)
    }

    fn session(&self, name: &str) -> Result<&Session> {
        let found = self.sessions.iter().find(|session| session.name == name);
        found.with_context(|| format!("teaching.toml has no session `{name}`"))
    }

    /// Shows a session as a table, and its homework.
    pub(crate) fn table(&self, name: &str, root: &Path) -> Result<String> {
        let session = self.session(name)?;
        let exercises = ExerciseSource::all(root)?;
        let sheets = predictions::sheets(root)?;
        let predictions: Vec<&Prediction> = sheets.iter().flat_map(|it| &it.predictions).collect();
        let mut table = String::from(
            "<div class=\"plan\">\n\n| at | min | what | if you're late |\n| --: | --: | --- | --- |\n",
        );
        let mut at = session.begins;
        for part in &session.parts {
            let minutes = part.minutes + sum(&part.exercises, &exercises)?;
            let (at_clock, shown) = (clock(at), part.shown(&exercises, &predictions)?);
            writeln!(table, "| {at_clock} | {minutes} | {shown} | {} |", part.late)?;
            at += minutes;
        }
        writeln!(
            table,
            "| {} | | **The end**, after {} minutes | |",
            clock(at),
            at - session.begins
        )?;
        table += "\n</div>\n";
        if !session.homework.is_empty() {
            let links = links(&session.homework, &exercises)?.join(", ");
            let minutes = sum(&session.homework, &exercises)?;
            write!(table, "\n**Homework:** {links}, which take {minutes} minutes to write.")?;
        }
        Ok(table)
    }

    /// Shows when a class gets to the places to stop, for the four paces.
    pub(crate) fn paces(&self, names: &[&str], root: &Path) -> Result<String> {
        let exercises = ExerciseSource::all(root)?;
        let mut table = String::from("| |");
        table.extend(PACES.map(|pace| format!(" {pace} % of the minutes |")));
        table += "\n| --- | --: | --: | --: | --: |\n";
        for name in names {
            let session = self.session(name)?;
            let limit = session.limit;
            for (index, part) in session.parts.iter().enumerate() {
                if !part.stop.is_empty() {
                    let until = &session.parts[..=index];
                    let times = times(|pace| all_at(until, pace, false, &exercises), limit)?;
                    writeln!(table, "| {}: {} | {times} |", session.name, part.stop)?;
                }
            }
            for (is_late, which) in [(false, "as planned"), (true, "with everything skipped")] {
                let times = times(|pace| all_at(&session.parts, pace, is_late, &exercises), limit)?;
                writeln!(table, "| **{}: the end**, {which} | {times} |", session.name)?;
            }
        }
        Ok(table)
    }
}

impl Session {
    fn check(&self, exercises: &[ExerciseSource]) -> Result<()> {
        let minutes = self.minutes(exercises)?;
        ensure!(minutes <= self.limit, "{minutes} minutes of {}", self.limit);
        sum(&self.homework, exercises)?;
        let is_odd = |part: &&Part| part.late.is_empty() && part.late_minutes > 0;
        let odd = self.parts.iter().find(is_odd);
        ensure!(odd.is_none(), "minutes for nothing that's done when late: {odd:?}");
        Ok(())
    }

    /// Returns how long it takes, if each exercise takes the minutes that it declares.
    pub(crate) fn minutes(&self, exercises: &[ExerciseSource]) -> Result<u32> {
        self.parts.iter().map(|part| Ok(part.minutes + sum(&part.exercises, exercises)?)).sum()
    }
}

impl Part {
    /// Returns how long it takes, in hundredths of a minute.
    fn hundredths(&self, pace: u32, exercises: &[ExerciseSource]) -> Result<u32> {
        Ok(self.minutes * 100 + pace * sum(&self.exercises, exercises)?)
    }

    fn shown(&self, exercises: &[ExerciseSource], predictions: &[&Prediction]) -> Result<String> {
        let mut shown = String::new();
        for words in &self.predicts {
            let prediction = named(words, predictions)?;
            write!(
                shown,
                "**Predict [{}](predictions.md#{})**. ",
                prediction.label,
                prediction.id()
            )?;
        }
        if !self.exercises.is_empty() {
            let word = if self.exercises.len() == 1 { "Exercise" } else { "Exercises" };
            write!(shown, "**{word} {}.** ", links(&self.exercises, exercises)?.join(", "))?;
        }
        shown += &self.does;
        if !self.stop.is_empty() {
            write!(shown, " *A place to stop: {}.*", self.stop)?;
        }
        Ok(shown)
    }
}

/// Adds up the minutes of exercises, and of all exercises of a step for `step02`: for
/// `{{#minutes 1.1 step02}}`.
pub(crate) fn minutes(words: &[&str], root: &Path) -> Result<u32> {
    let exercises = ExerciseSource::all(root)?;
    let mut numbers = Vec::new();
    for word in words {
        let of_step = exercises.iter().filter(|exercise| exercise.package.starts_with(word));
        let of_step: Vec<String> = of_step.map(|exercise| exercise.number.clone()).collect();
        if of_step.is_empty() { numbers.push((*word).to_owned()) } else { numbers.extend(of_step) }
    }
    sum(&numbers, &exercises)
}

fn sum(numbers: &[String], exercises: &[ExerciseSource]) -> Result<u32> {
    let minutes =
        numbers.iter().map(|number| Ok(find(number, exercises)?.minutes.parse::<u32>()?));
    minutes.sum()
}

fn find<'a>(number: &str, exercises: &'a [ExerciseSource]) -> Result<&'a ExerciseSource> {
    let found = exercises.iter().find(|exercise| exercise.number == number);
    found.with_context(|| format!("there's no exercise {number}"))
}

/// Returns links to the places of exercises in their chapters.
fn links(numbers: &[String], exercises: &[ExerciseSource]) -> Result<Vec<String>> {
    let link = |number: &String| {
        let exercise = find(number, exercises)?;
        let (chapter, id) = (&exercise.package[..6], exercise.id());
        Ok(format!("[{number} `{}`]({chapter}.md#{id})", exercise.name))
    };
    numbers.iter().map(link).collect()
}

/// Returns the one prediction with a name, or with these words in its question.
fn named<'a>(words: &str, predictions: &[&'a Prediction]) -> Result<&'a Prediction> {
    let mut found = predictions.iter().filter(|prediction| prediction.name.contains(words));
    let prediction = found.next().with_context(|| format!("no chapter predicts {words:?}"))?;
    ensure!(found.next().is_none(), "several predictions have the words {words:?}");
    Ok(prediction)
}

/// Returns the minutes that parts take a class with this pace. Only the exercises take longer, because
/// the teacher's clock decides about the rest. A class that's late skips what can be skipped.
fn all_at(parts: &[Part], pace: u32, is_late: bool, exercises: &[ExerciseSource]) -> Result<u32> {
    let hundredths = parts.iter().map(|part| match part.late.as_str() {
        late if is_late && !late.is_empty() => Ok(part.late_minutes * 100),
        _ => part.hundredths(pace, exercises),
    });
    Ok((hundredths.sum::<Result<u32>>()? + 50) / 100)
}

/// Returns a cell for each pace; a time that's too late is in bold type, and says by how much.
fn times(minutes_at: impl Fn(u32) -> Result<u32>, limit: u32) -> Result<String> {
    let cell = |pace| -> Result<String> {
        let minutes = minutes_at(pace)?;
        let shown = clock(minutes);
        let late = minutes.saturating_sub(limit);
        Ok(if late > 0 { format!("**{shown}**, {late} too late") } else { shown })
    };
    Ok(PACES.into_iter().map(cell).collect::<Result<Vec<String>>>()?.join(" | "))
}

/// Writes minutes as hours and minutes.
fn clock(minutes: u32) -> String {
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const DAY: &str = "name = \"day\"\nbegins = 540\nlimit = 30\nhomework = []\n\
                       [[part]]\ndoes = \"talk\"\nminutes = 15\n\
                       [[part]]\ndoes = \"write\"\nexercises = [\"1.1\"]\n\
                       late = \"copy\"\nlate_minutes = 2\n";

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
    }

    fn exercises() -> Vec<ExerciseSource> {
        ExerciseSource::all(&root()).expect("exercises")
    }

    /// The sessions of `teaching.toml`; reading them checks that each fits into its limit.
    fn sessions() -> Vec<Session> {
        Plans::read(&root()).expect("plans").sessions
    }

    #[test]
    fn a_session_of_three_hours_takes_three_hours_at_most() {
        let exercises = exercises();
        for (session, most) in sessions().iter().zip([180, 180, 180, 180, 480]) {
            let minutes = session.minutes(&exercises).expect("minutes");
            assert!(minutes <= most, "{}: {minutes} minutes", session.name);
        }
        assert_eq!(sessions().len(), 5);
    }

    #[test]
    fn a_plan_that_takes_too_long_is_an_error() {
        let fits: Session = toml::from_str(DAY).expect("a session");
        fits.check(&exercises()).expect("it fits");
        let longer = DAY.replace("minutes = 15", "minutes = 21");
        let longer: Session = toml::from_str(&longer).expect("a session");
        let error = longer.check(&exercises()).expect_err("too long").to_string();
        assert_eq!(error, "31 minutes of 30");
    }

    #[test]
    fn the_four_sessions_and_their_homework_have_each_exercise_of_five_steps_once() {
        let mut planned = Vec::new();
        for session in sessions().into_iter().take(4) {
            planned.extend(session.parts.into_iter().flat_map(|part| part.exercises));
            planned.extend(session.homework);
        }
        planned.retain(|number| !number.starts_with('6'));
        planned.sort();
        let declared = exercises().into_iter().map(|exercise| exercise.number);
        let declared: Vec<String> = declared.filter(|number| number.as_str() < "6").collect();
        assert_eq!(planned, declared);
    }

    #[test]
    fn only_the_exercises_take_longer_at_another_pace_and_a_late_class_skips() {
        let day: Session = toml::from_str(DAY).expect("a session");
        let takes =
            |pace, is_late| all_at(&day.parts, pace, is_late, &exercises()).expect("minutes");
        assert_eq!([takes(100, false), takes(200, false)], [25, 35]);
        assert_eq!([takes(100, true), takes(200, true)], [17, 17]);
        let cells = times(|pace| Ok(takes(pace, false)), 30).expect("cells");
        assert_eq!(cells, "0:23 | 0:25 | 0:30 | **0:35**, 5 too late");
    }

    /// The chapter says this in words, below the table.
    #[test]
    fn the_paces_come_out_as_the_chapter_says() {
        let (sessions, exercises) = (sessions(), exercises());
        let ends = |index: usize, pace, is_late| {
            all_at(&sessions[index].parts, pace, is_late, &exercises).expect("minutes")
        };
        assert!(ends(0, 150, false) > 180 && ends(1, 150, false) > 180);
        assert!(ends(0, 150, true) <= 180 && ends(1, 150, true) == 180);
        assert!(ends(0, 200, true) <= 180 && ends(1, 200, true) > 180);
        let twice: u32 = (0..4).map(|index| ends(index, 200, false)).sum();
        assert!(twice > 5 * 180 && twice <= 6 * 180);

        let is_read = |part: &Part| part.exercises.iter().any(|number| number == "1.5");
        let until = sessions[0].parts.iter().position(is_read).expect("exercise 1.5");
        let read_at =
            |pace| all_at(&sessions[0].parts[..=until], pace, false, &exercises).expect("minutes");
        assert_eq!([read_at(150) - read_at(100), read_at(200) - read_at(100)], [20, 40]);
    }
}
