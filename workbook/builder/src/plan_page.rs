//! The plans for a class, as the book's pages show them: a session's table, the times of the
//! stopping places, and the questions that help a student who's stuck.

use std::fmt::Write;

use anyhow::{Result, ensure};

use crate::plan::{Activity, Plans, Question};
use crate::steps::chapter_of;

/// Four paces, as percentages of the minutes that the exercises declare.
const PACES: [u32; 4] = [60, 80, 120, 150];

impl Plans {
    /// Returns a session as a Markdown table, with its homework.
    pub(crate) fn table(&self, name: &str) -> Result<String> {
        let session = self.session(name)?;
        let mut table = String::from(
            "<div class=\"plan\">\n\n| at | min | what | if you're late |\n| --: | --: | --- | --- |\n",
        );
        let mut at = session.begins;
        for activity in &session.activities {
            let minutes = self.minutes_of(std::slice::from_ref(activity))?;
            let (begins, shown) = (clock(at), self.shown(activity)?);
            writeln!(table, "| {begins} | {minutes} | {shown} | {} |", activity.late)?;
            at += minutes;
        }
        let (ends, all) = (clock(at), at - session.begins);
        writeln!(table, "| {ends} | | **The end**, after {all} minutes | |\n\n</div>")?;
        if !session.homework.is_empty() {
            let links = self.links(&session.homework)?.join(", ");
            let minutes = self.minutes(&session.homework)?;
            write!(table, "\n**Homework:** {links}, which take {minutes} minutes to write.")?;
        }
        Ok(table)
    }

    /// Returns a table with the times at which a class reaches the stopping places and the end of
    /// each session, for the four paces.
    pub(crate) fn paces(&self, names: &[&str]) -> Result<String> {
        let mut table = String::from("| |");
        table.extend(PACES.map(|pace| format!(" {pace} % of the minutes |")));
        table += "\n| --- | --: | --: | --: | --: |\n";
        for name in names {
            let session = self.session(name)?;
            let (activities, limit) = (&session.activities, session.limit);
            for (index, activity) in
                activities.iter().enumerate().filter(|(_, it)| !it.stop.is_empty())
            {
                let times =
                    times(|pace| self.minutes_at(&activities[..=index], pace, false), limit)?;
                writeln!(table, "| {name}: {} | {times} |", activity.stop)?;
            }
            for (is_late, which) in [(false, "as planned"), (true, "with everything skipped")] {
                let times = times(|pace| self.minutes_at(activities, pace, is_late), limit)?;
                writeln!(table, "| **{name}: the end**, {which} | {times} |")?;
            }
        }
        Ok(table)
    }

    /// Returns a table with the questions for some steps.
    pub(crate) fn questions_of(&self, steps: &[&str]) -> Result<String> {
        let mut table =
            String::from("| what goes wrong | what you see | ask |\n| --- | --- | --- |");
        let is_there = |step: &&str| self.questions.iter().any(|it| it.step == *step);
        ensure!(steps.iter().all(is_there), "teaching.toml has no question for one of these");
        for question in self.questions.iter().filter(|it| steps.contains(&&*it.step)) {
            let Question { exercises, wrong, sees, asks, .. } = question;
            let mistake = match exercises.join(", ") {
                numbers if numbers.is_empty() => wrong.clone(),
                numbers => format!("{numbers}: {wrong}"),
            };
            let cells = [&mistake, sees, asks].map(|cell| cell.replace('|', "\\|"));
            write!(table, "\n| {} |", cells.join(" | "))?;
        }
        Ok(table)
    }

    /// Returns the total number of minutes that these exercises declare. A name such as `step02`
    /// stands for all non-optional exercises in that step.
    pub(crate) fn sum(&self, words: &[&str]) -> Result<u32> {
        let numbers = |word: &&str| match self.numbers_of(word) {
            none if none.is_empty() => vec![(*word).to_owned()],
            numbers => numbers,
        };
        self.minutes(&words.iter().flat_map(numbers).collect::<Vec<String>>())
    }

    fn shown(&self, activity: &Activity) -> Result<String> {
        let mut shown = String::new();
        for words in &activity.predicts {
            let prediction = self.prediction(words)?;
            let (label, id) = (&prediction.label, prediction.id());
            let scene = prediction.scene().map(|name| format!(" `{name}`")).unwrap_or_default();
            write!(shown, "**Predict [{label}{scene}](predictions.md#{id}).** ")?;
        }
        if !activity.exercises.is_empty() {
            let word = if activity.exercises.len() == 1 { "Exercise" } else { "Exercises" };
            write!(shown, "**{word} {}.** ", self.links(&activity.exercises)?.join(", "))?;
        }
        shown += &activity.does;
        if !activity.stop.is_empty() {
            write!(shown, " *A place to stop: {}.*", activity.stop)?;
        }
        Ok(shown)
    }

    /// Returns links to these exercises in their chapters.
    fn links(&self, numbers: &[String]) -> Result<Vec<String>> {
        let link = |number: &String| {
            let exercise = self.exercise(number)?;
            let (chapter, id) = (chapter_of(&exercise.package), exercise.id());
            Ok(format!("[{number} `{}`]({chapter}.md#{id})", exercise.name))
        };
        numbers.iter().map(link).collect()
    }
}

/// Returns a table cell for each pace. A time past the limit is in bold, with the delay.
fn times(minutes_at: impl Fn(u32) -> Result<u32>, limit: u32) -> Result<String> {
    let cell = |pace| -> Result<String> {
        let minutes = minutes_at(pace)?;
        let shown = clock(minutes);
        let late = minutes.saturating_sub(limit);
        Ok(if late > 0 { format!("**{shown}**, {late} min too late") } else { shown })
    };
    Ok(PACES.into_iter().map(cell).collect::<Result<Vec<String>>>()?.join(" | "))
}

/// Formats minutes as hours and minutes.
fn clock(minutes: u32) -> String {
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_after_the_limit_says_by_how_much() {
        let cells = times(|pace| Ok(pace / 2), 70).expect("cells");
        assert_eq!(cells, "0:30 | 0:40 | 1:00 | **1:15**, 5 min too late");
    }

    #[test]
    fn the_questions_of_some_steps_are_a_table_and_a_step_without_any_is_an_error() {
        let question = |step: &str, exercises: &[&str], wrong: &str, sees: &str| Question {
            step: step.to_owned(),
            exercises: exercises.iter().map(|&it| it.to_owned()).collect(),
            wrong: wrong.to_owned(),
            sees: sees.to_owned(),
            asks: "Why?".to_owned(),
        };
        let questions = vec![
            question("step90", &["90.1", "90.2"], "forgets", "`a | b`"),
            question("step91", &[], "the prediction `guess`: never", ""),
            question("step92", &["92.1"], "else", ""),
        ];
        let (sessions, exercises, predictions) = (Vec::new(), Vec::new(), Vec::new());
        let plans = Plans { sessions, questions, exercises, predictions };
        let table = plans.questions_of(&["step90", "step91"]).expect("a table");
        let rows: Vec<&str> = table.lines().skip(2).collect();
        let expected = [
            r"| 90.1, 90.2: forgets | `a \| b` | Why? |",
            "| the prediction `guess`: never |  | Why? |",
        ];
        assert_eq!(rows, expected);
        assert!(plans.questions_of(&["step90", "step93"]).is_err());
    }
}
