//! A chapter's exercises, each of which comes after the idea that it needs, and a table of all of
//! them.

use std::fmt::Write;

use ::exercises::Exercise;
use anyhow::Result;
use judging::step::FROM_SCRATCH;
use runner::chapter::Chapter;

use crate::exercises::ExerciseSource;
use crate::folds::Folds;
use crate::markdown::rust;
use crate::steps::StepSource;

/// Returns the Markdown for an exercise: its task, the file that the reader edits, its scenes and
/// trials, the code around the hole, and a fold with our solution.
pub(crate) fn exercise(exercise: &ExerciseSource, folds: &Folds) -> String {
    let ExerciseSource { package, declared, file, brief, .. } = exercise;
    let Exercise { number, name, minutes, task, .. } = declared;
    let (id, judges) = (exercise.id(), judged_by(&exercise.scenes, &exercise.trials));
    let is_alone = brief.iter().all(|shown| shown.file == *file);
    let around = brief.iter().map(|shown| {
        let path = format!("<span class=\"filename\">{package}/src/{}</span>\n\n", shown.file);
        let path = if is_alone { "" } else { &path };
        path.to_owned() + &rust(&shown.code)
    });
    let (around, body) = (around.collect::<Vec<String>>().join("\n\n"), folds.of_body(exercise));
    format!(
        "<div class=\"exercise\" id=\"{id}\" data-package=\"{package}\" data-number=\"{number}\">\n\n\
         **Exercise {number}: `{name}`** ({minutes} minutes)\n\n{task}\n\n\
         Write it in `work/{package}/src/{file}`<span class=\"in-terminal\">, and run \
         `cargo run -p {package}`</span>. {judges}\n\n\
         {around}\n\n{body}\n\n</div>"
    )
}

/// Returns the Markdown for a stage of the loop from scratch: its task, and its scenes and trials.
pub(crate) fn stage(stage: &Exercise) -> String {
    let Exercise { number, name, minutes, task, scenes, trials, .. } = stage;
    let (id, judges) = (number.replace('.', "-"), judged_by(scenes, trials));
    format!(
        "<div class=\"exercise\" id=\"exercise-{id}\" data-package=\"{FROM_SCRATCH}\" data-number=\"{number}\">\n\n\
         **{number}: {name}** ({minutes} minutes)\n\n{task}\n\n\
         Write it in `work/{FROM_SCRATCH}/src/lib.rs`, or in files of yours beside it<span \
         class=\"in-terminal\">, and run `cargo run -- from-scratch`</span>. {judges}\n\n</div>"
    )
}

/// Returns a sentence that lists the scenes and trials that judge an exercise.
fn judged_by(scenes: &[String], trials: &[String]) -> String {
    let mut judges = Vec::new();
    if !scenes.is_empty() {
        let word = if scenes.len() == 1 { "scene" } else { "scenes" };
        judges.push(format!("the {word} {}", enumerated(scenes)));
    }
    if !trials.is_empty() {
        judges.push(format!("the random programs of {}", enumerated(trials)));
    }
    format!("It's judged by {}.", judges.join(", and by "))
}

/// Returns names as code: `a`, `b` and `c`.
fn enumerated(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Returns a table of a step's exercises, with links to their places on this page or on the
/// chapter's other pages. If this page doesn't show an exercise, the table has the exercise's id,
/// for links that name only the chapter.
pub(crate) fn table(step: &StepSource, page: &str) -> Result<String> {
    let mut table = String::from(
        "<div class=\"exercises\">\n\n\
         | | exercise | judged by | minutes |\n| --- | --- | --- | --- |\n",
    );
    let exercises = step.exercises()?;
    let chapter = step.chapter()?;
    let is_last_step = exercises.iter().all(|exercise| exercise.only_here.is_some());
    for exercise in exercises {
        let judges = exercise.scenes.iter().chain(&exercise.trials);
        let judges: Vec<String> = judges.map(|judge| format!("`{judge}`")).collect();
        let Exercise { name, minutes, task, .. } = &exercise.declared;
        let (number, judges) = (place(&exercise, page, &chapter), judges.join(" "));
        let only_here = match &exercise.only_here {
            Some(_) if exercise.is_optional => {
                "<br>*Optional: given unless your path includes it.*".to_owned()
            }
            Some(reason) if !is_last_step => format!("<br>*No later step runs it. {reason}*"),
            _ => String::new(),
        };
        writeln!(table, "| {number} | **`{name}`** {task}{only_here} | {judges} | {minutes} |")?;
    }
    if !is_last_step {
        table += "\n\nOnce you've typed `cargo run -- use-mine`, later steps and their servers run what you \
                  write here.\n";
    }
    Ok(table + "\n</div>\n")
}

fn place(exercise: &ExerciseSource, page: &str, chapter: &Chapter) -> String {
    let (number, id) = (&exercise.number, exercise.id());
    if page.contains(&format!("{{{{#exercise {number}}}}}")) {
        return format!("[{number}](#{id})");
    }
    let other = chapter.section_with(number);
    let number = other.map_or(number.clone(), |it| format!("[{number}]({}.md#{id})", it.page));
    format!("<span id=\"{id}\">{number}</span>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn scenes_and_random_programs_judge() {
        let by = |scenes: &[&str], trials: &[&str]| judged_by(&names(scenes), &names(trials));
        assert_eq!(by(&["a"], &[]), "It's judged by the scene `a`.");
        assert_eq!(by(&["a", "b", "c"], &[]), "It's judged by the scenes `a`, `b` and `c`.");
        assert_eq!(by(&[], &["x"]), "It's judged by the random programs of `x`.");
        let both = "It's judged by the scene `a`, and by the random programs of `x` and `y`.";
        assert_eq!(by(&["a"], &["x", "y"]), both);
    }
}
