//! The book's material for a class: a poll for each prediction and each bug, the polls of each
//! planned session, and the questions that help a student who's stuck.
//!
//! None of this text is written separately: the predictions come from the chapters, the bugs from
//! the answers' documents, and the plans and questions from `teaching.toml`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use class::polls::{Asks, Choice, PollKind};
use class::{Exercise, Gone, Material, Poll, Question, Session};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};
use serde_json::Value;

use crate::directives::Directives;
use crate::exercises::{ExerciseSource, stages};
use crate::forms;
use crate::hunt;
use crate::index;
use crate::markdown::rust;
use crate::plan::{self, Plans};
use crate::predictions::{Form, Prediction, sheets};
use crate::steps::{StepSource, outdented, packages, read};
use judging::step::FROM_SCRATCH;
use judging::workbook::Workbook;

/// Returns all material for a class.
pub(crate) fn material(root: &Path) -> Result<Material> {
    let writer = Writer { root, directives: Directives::new(root) };
    let mut polls = Vec::new();
    for sheet in sheets(root)? {
        for prediction in &sheet.predictions {
            let poll = writer.prediction(&sheet.package, prediction);
            polls.push(poll.with_context(|| prediction.name.clone())?);
        }
    }
    for package in packages(root)? {
        for exercise in StepSource::open(root, &package)?.exercises()? {
            polls.extend(writer.bugs(&exercise)?);
        }
    }
    let plans = Plans::read(root)?;
    let mut sessions = Vec::new();
    for plan in &plans.sessions {
        let mut session =
            Session { name: plan.name.clone(), title: plan.title.clone(), polls: Vec::new() };
        for words in plan.activities.iter().flat_map(|activity| &activity.predicts) {
            let prediction = plans.prediction(words)?;
            let id = id(prediction);
            ensure!(polls.iter().any(|poll| poll.id == id), "{words:?} can't be asked as a poll");
            session.polls.push(id);
        }
        sessions.push(session);
    }
    let exercises = ExerciseSource::all(root)?.into_iter().map(|exercise| Exercise {
        questions: questions_for(&plans.questions, &exercise.number),
        number: exercise.declared.number,
        name: exercise.declared.name,
        package: exercise.package,
        minutes: exercise.declared.minutes,
    });
    let stages = stages(root)?.into_iter().map(|stage| Exercise {
        questions: questions_for(&plans.questions, &stage.number),
        number: stage.number,
        name: stage.name,
        package: FROM_SCRATCH.to_owned(),
        minutes: stage.minutes,
    });
    let workbook = Workbook::at(root.to_owned())?;
    let mut gone = Vec::new();
    for package in workbook.steps()? {
        let of_it = exercises::gone(&workbook.step(&package))?.into_iter();
        gone.extend(of_it.map(|it| Gone { told: it.in_words(), number: it.number }));
    }
    Ok(Material { exercises: exercises.chain(stages).collect(), sessions, polls, gone })
}

/// Creates polls and writes their texts as HTML.
struct Writer<'a> {
    root: &'a Path,
    directives: Directives,
}

/// Returns the id of the prediction's form, which is also the id of the prediction's poll.
fn id(prediction: &Prediction) -> String {
    match &prediction.form {
        Form::Scene { package, .. } => format!("{package}/{}", prediction.name),
        Form::Answers { id, .. } => id.clone(),
    }
}

impl Writer<'_> {
    /// Creates a poll from a prediction.
    fn prediction(&self, chapter: &str, prediction: &Prediction) -> Result<Poll> {
        let Prediction { label, name, page, context, question, code, answer, .. } = prediction;
        let (package, kind, explanation, asks) = match &prediction.form {
            Form::Scene { package, helpers, wrong } => {
                let sheet = forms::sheet_of(self.root, package, name, helpers, wrong)?;
                let text = read(&self.root.join("book/src").join(page))?;
                let explanation = match index::explanation_of(&text, package, name)? {
                    Some(explanation) => explanation.to_owned(),
                    None => StepSource::open(self.root, package)?.scene(name, &[])?.notes,
                };
                let scene = name.clone();
                let asks = Asks::Lines { scene, sheet };
                (package.as_str(), PollKind::Scene, explanation, asks)
            }
            Form::Answers { answers, .. } => {
                (chapter, PollKind::Fold, answer.clone(), one_of(answers.clone()))
            }
        };
        let asked = format!("{context}\n\n**{question}**");
        let code = code.as_deref().map(rust).unwrap_or_default();
        let title = match kind {
            PollKind::Scene => format!("{label} {name}"),
            _ => format!("{label} {}", words_of(question)),
        };
        Ok(Poll {
            id: id(prediction),
            title,
            kind,
            package: package.to_owned(),
            page: page.replace(".md", ".html"),
            question: as_html(&self.directives.expand(&asked)?),
            code: as_html(&code),
            explanation: as_html(&self.directives.expand(&explanation)?),
            asks,
        })
    }

    /// Creates a poll from each of an exercise's bugs.
    fn bugs(&self, exercise: &ExerciseSource) -> Result<Vec<Poll>> {
        let ExerciseSource { package, declared, starter, .. } = exercise;
        let exercises::Exercise { number, name, task, .. } = declared;
        let bugs = hunt::bugs_of(self.root, package, name)?;
        let polls = bugs.iter().enumerate().map(|(index, (answer, bug))| {
            let body = outdented(&answer.body.lines().collect::<Vec<&str>>());
            let code = with_body(starter, &exercise.todo(), &body);
            Ok(Poll {
                id: format!("hunt/{number}/{}", index + 1),
                // The answer's own name would reveal the bug, since this title is projected on the
                // wall.
                title: format!("{number} {name}, bug {}", index + 1),
                kind: PollKind::Hunt,
                package: package.clone(),
                page: "hunt.html".to_owned(),
                question: as_html(&format!("{task}\n\n**Which promise does this body break?**")),
                code: as_html(&rust(&code)),
                explanation: as_html(&format!(
                    "*{}* `{}` of `{package}` shows that the body breaks this promise. With \
                     this body on their page, a reader is told:\n\n```text\n{}```",
                    bug.breaks, bug.shown_by, bug.told
                )),
                asks: one_of(hunt::answers(answer, bug)?),
            })
        });
        polls.collect()
    }
}

/// Returns a function with a body in place of its `todo!`.
fn with_body(starter: &str, todo: &str, body: &str) -> String {
    let line = starter.lines().find(|line| line.contains(todo)).unwrap_or_default();
    let indent = &line[..line.len() - line.trim_start().len()];
    let lines =
        body.lines().map(|it| if it.is_empty() { String::new() } else { format!("{indent}{it}") });
    starter.replace(line, &lines.collect::<Vec<String>>().join("\n"))
}

fn one_of(mut answers: Vec<Value>) -> Asks {
    forms::sort(&mut answers);
    let choices = answers.into_iter().map(|answer| Choice {
        text: answer["text"].as_str().unwrap_or_default().to_owned(),
        overlooks: (answer["right"] == false)
            .then(|| answer["why"].as_str().unwrap_or_default().to_owned()),
    });
    Asks::One(choices.collect())
}

/// Converts Markdown to HTML. Replaces links with their text, because a student's page can't reach
/// the book.
fn as_html(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let without_links = events.filter(|event| {
        !matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link))
    });
    let mut written = String::new();
    html::push_html(&mut written, without_links);
    written.trim_end().to_owned()
}

/// Returns the text of a line of Markdown.
fn words_of(markdown: &str) -> String {
    let words = Parser::new(markdown).filter_map(|event| match event {
        Event::Text(words) | Event::Code(words) => Some(words),
        _ => None,
    });
    words.collect::<Vec<_>>().concat()
}

/// Returns the questions that help with an exercise.
fn questions_for(questions: &[plan::Question], number: &str) -> Vec<Question> {
    let of_exercise = questions.iter().filter(|it| it.exercises.iter().any(|it| it == number));
    let question =
        |it: &plan::Question| Question { sees: quoted(&it.sees), asks: as_html(&it.asks) };
    of_exercise.map(question).collect()
}

/// Returns the words that `sees` quotes from a verdict, between asterisks or backticks.
fn quoted(sees: &str) -> Vec<String> {
    let pieces = sees.split(['*', '`']).skip(1).step_by(2);
    let words = pieces.map(|it| it.trim_matches(['…', ' ']).to_owned());
    words.filter(|words| words.len() > 2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::PLANS;
    use crate::tests::root;

    #[test]
    fn each_session_has_its_predictions_as_polls_and_the_bugs_are_beside_them() {
        let material = material(root()).expect("material");
        let counts: Vec<usize> = material.sessions.iter().map(|it| it.polls.len()).collect();
        assert!(counts.iter().all(|count| *count >= 4), "{counts:?}");
        assert!(material.sessions[0].title.starts_with("First session"));
        let hunts = material.polls.iter().filter(|poll| poll.kind == PollKind::Hunt).count();
        assert!(hunts >= 35, "{hunts} hunts");
        let mut ids: Vec<&str> = material.polls.iter().map(|poll| poll.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), material.polls.len(), "two polls have one id");
        for poll in &material.polls {
            let texts = [&poll.question, &poll.explanation];
            assert!(
                texts.iter().all(|text| !text.is_empty() && !text.contains("{{#")),
                "{}",
                poll.id
            );
            assert!(!poll.question.contains("<a "), "{}", poll.id);
        }
    }

    #[test]
    fn a_question_is_for_the_verdicts_that_it_quotes() {
        let plans = &*PLANS;
        let questions = questions_for(&plans.questions, "1.5");
        assert!(questions.len() >= 2, "{}", questions.len());
        assert!(questions.iter().any(|it| it.sees.contains(&"Interrupted".to_owned())));
        assert!(questions_for(&plans.questions, "1.99").is_empty());
        assert_eq!(quoted("*errno: …*, *late writes: 1*"), ["errno:", "late writes: 1"]);
    }

    #[test]
    fn a_wrong_body_stands_in_its_function() {
        let starter = "fn a() {\n    todo!(\"exercise 1.1\")\n}";
        assert_eq!(
            with_body(starter, "todo!(\"exercise 1.1\")", "b();\n\nc()"),
            "fn a() {\n    b();\n\n    c()\n}"
        );
    }
}
