//! Moving figures. Each figure is a question, followed by states that the reader steps through.
//!
//! `{{#figure NAME}}` becomes a question with a few answers, followed by a fold with the figure.
//! The builder computes the states: it runs the real code, or it plays a model of the code in every
//! possible order. Tests compare these models with the real code or with recorded transcripts.
//! Without scripts and on paper, the fold contains a still picture of the decisive state.
//! `theme/figure.js` lets the reader step through the states.
//!
//! A figure has *sets*, usually one for each rule. A set has *runs*, usually one for each order in
//! which events can happen, and a run has *states*. If there are several sets or runs, the reader
//! chooses one of them.
//!
//! - `shapes.rs`: the shapes in the drawing of a state;
//! - `timeline.rs`: draws a state as a timeline that runs downwards, with a column for each actor.
//!
//! To add a figure, write its file, list the figure in `NAMES` and [`figure`], and put its
//! directive into a chapter.

mod facts;
mod flags;
mod gap;
mod heap;
mod moments;
mod note;
mod orders;
mod pin;
mod shapes;
mod timeline;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::forms;
use crate::markdown::escaped;
use crate::predictions::capitalized;
use shapes::Shape;

/// The names of all figures.
#[cfg(test)]
pub(crate) const NAMES: [&str; 8] =
    ["facts", "heap", "gap", "orders", "flags", "pin", "moments", "note"];

/// Returns the figure with this name.
fn figure(name: &str) -> Result<Figure> {
    match name {
        "orders" => orders::figure(),
        "gap" => Ok(gap::figure()),
        "moments" => moments::figure(),
        "flags" => flags::figure(),
        "facts" => facts::figure(),
        "heap" => heap::figure(),
        "pin" => pin::figure(),
        "note" => note::figure(),
        _ => bail!("no figure {name:?}; builder/figures/mod.rs lists them"),
    }
}

/// A question with the states that answer it.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    /// A description of the picture for readers who can't see it.
    pub(crate) title: &'static str,
    /// The question that the reader answers before seeing the figure. The question begins with a
    /// lower-case letter, because it comes after the word `Predict:`.
    pub(crate) question: String,
    /// Two to four answers in any order, exactly one of which is right.
    pub(crate) answers: Vec<Answer>,
    /// The Markdown text that follows the figure in its fold.
    pub(crate) explains: String,
    /// The labels for the choice of a set and the choice of a run, such as "Rules" and "Orders".
    pub(crate) choices: [&'static str; 2],
    pub(crate) sets: Vec<Set>,
    /// The indexes of the set, the run and the state that decide the question. The reader begins
    /// with this set and this run.
    pub(crate) still: [usize; 3],
}

pub(crate) struct Answer {
    pub(crate) text: String,
    /// The fact that a wrong answer overlooks, or `None` for the right answer.
    pub(crate) why: Option<String>,
}

pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) runs: Vec<Run>,
}

pub(crate) struct Run {
    pub(crate) name: String,
    /// True if something goes wrong in the run, such as a lost wake-up. If a figure has such runs,
    /// each of the figure's runs gets a ✓ or a ✗.
    pub(crate) is_bad: bool,
    pub(crate) states: Vec<State>,
}

pub(crate) struct State {
    /// A caption about the event that has just happened.
    pub(crate) says: String,
    pub(crate) shapes: Vec<Shape>,
}

impl Set {
    /// Creates the set for a figure without choices.
    fn of(states: Vec<State>) -> Self {
        Set { name: String::new(), runs: vec![Run { name: String::new(), is_bad: false, states }] }
    }

    /// Returns the number of runs that lose something.
    fn lost(&self) -> usize {
        self.runs.iter().filter(|run| run.is_bad).count()
    }
}

/// Returns a Markdown table that shows how many runs each set has and how many of them lose
/// something.
fn counted(sets: &[Set], lost: &str) -> String {
    let rows = sets.iter().map(|set| {
        // Escape the underscores in two of the names, because Markdown would interpret the
        // underscores as emphasis.
        let name = set.name.replace('_', "\\_");
        format!("| {name} | {} | {} |\n", set.runs.len(), set.lost())
    });
    format!("| rules | orders | {lost} |\n| --- | ---: | ---: |\n{}", rows.collect::<String>())
}

/// A limit for the length of an order. No figure should ask a reader to follow that many steps.
const LONGEST: usize = 20;

/// Returns all orders in which some actors can act, as lists of the actors' numbers. Given the
/// actions so far, `able` returns the actors that can act next. An order is complete when no actor
/// can act. Fails if an order reaches the limit [`LONGEST`].
fn every_order(able: impl Fn(&[usize]) -> Result<Vec<usize>>) -> Result<Vec<Vec<usize>>> {
    let mut complete = Vec::new();
    let mut begun = vec![Vec::new()];
    while let Some(order) = begun.pop() {
        ensure!(order.len() < LONGEST, "an order without an end: {order:?}");
        let able = able(&order)?;
        if able.is_empty() {
            complete.push(order);
            continue;
        }
        // `pop` takes the last order, so we add the orders in reverse.
        begun.extend(able.into_iter().rev().map(|next| [&order[..], &[next]].concat()));
    }
    Ok(complete)
}

impl Answer {
    pub(crate) fn right(text: impl Into<String>) -> Self {
        Answer { text: text.into(), why: None }
    }

    /// Creates a wrong answer. `why` is the fact that the answer overlooks, worded so that it can
    /// follow the word "No:".
    pub(crate) fn wrong(text: impl Into<String>, why: impl Into<String>) -> Self {
        Answer { text: text.into(), why: Some(why.into()) }
    }
}

/// Returns the replacement for `{{#figure name}}`.
pub(crate) fn shown(name: &str) -> Result<String> {
    let figure = figure(name)?;
    let form = forms::of_answers(&format!("figure/{name}"), figure.answers());
    let Figure { question, explains, .. } = &figure;
    Ok(format!(
        "{form}\n\n<details class=\"figure\" id=\"figure-{name}\">\
         <summary><strong>Predict:</strong> {question}</summary>\n\n\
         <figure class=\"picture moving\">\n{still}{data}\n</figure>\n\n{explains}\n\n</details>",
        still = figure.still()?,
        data = forms::block("", &figure.data()?),
    ))
}

/// Returns a figure's question and right answer for a sheet, along with all of the figure's answers
/// in the format for a form.
pub(crate) fn on_paper(name: &str) -> Result<(String, String, Vec<Value>)> {
    let figure = figure(name)?;
    let right = figure.answers.iter().find(|answer| answer.why.is_none());
    let right = &right.context("no answer is right")?.text;
    let says = &figure.decisive()?.says;
    let answer = format!("{}. {says}\n\n{}", capitalized(right), figure.explains);
    let answers = figure.answers();
    Ok((figure.question, answer, answers))
}

impl Figure {
    /// Returns the answers in the format for a form's data.
    fn answers(&self) -> Vec<Value> {
        let answers = self.answers.iter().map(|Answer { text, why }| {
            json!({ "text": text, "right": why.is_none(), "why": why.as_deref().unwrap_or_default() })
        });
        answers.collect()
    }

    fn decisive(&self) -> Result<&State> {
        let [set, run, state] = self.still;
        let run = self.sets.get(set).and_then(|set| set.runs.get(run));
        run.and_then(|run| run.states.get(state)).context("the still isn't one of the states")
    }

    /// Returns the width and the height that the states need.
    fn size(&self) -> (usize, usize) {
        let runs = self.sets.iter().flat_map(|set| &set.runs);
        let states = runs.flat_map(|run| &run.states);
        let ends = states.flat_map(|state| state.shapes.iter().map(Shape::end));
        let (width, height) = ends.fold((0, 0), |(x, y), end| (x.max(end.0), y.max(end.1)));
        (width + 4, height + 4)
    }

    /// Returns the picture of the decisive state.
    fn still(&self) -> Result<String> {
        let Figure { name, title, .. } = self;
        let State { says, shapes } = self.decisive()?;
        let (width, _) = self.size();
        let height = shapes.iter().map(|shape| shape.end().1).max().unwrap_or_default() + 4;
        let drawn: String = shapes.iter().map(|shape| shape.drawn(name)).collect();
        let words = shapes.iter().filter_map(Shape::words).collect::<Vec<&str>>().join("; ");
        Ok(format!(
            "<svg viewBox=\"0 0 {width} {height}\" style=\"width: {width}px\" role=\"img\" \
             aria-labelledby=\"figure-{name}-title figure-{name}-desc\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title id=\"figure-{name}-title\">{title}</title>\n\
             <desc id=\"figure-{name}-desc\">{words}</desc>\n\
             <defs><marker id=\"figure-{name}-head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" \
             markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L10 5 L0 10 z\" \
             fill=\"currentColor\"/></marker></defs>\n<g class=\"stage\">\n{drawn}</g>\n</svg>\n\
             <figcaption>{says}</figcaption>\n",
            title = escaped(title),
            words = escaped(&words),
            says = escaped(says),
        ))
    }

    /// Returns the data for `theme/figure.js`. Most shapes occur in many states, so the data
    /// contains each shape only once.
    fn data(&self) -> Result<Value> {
        let mut shapes: Vec<&Shape> = Vec::new();
        let mut sets = Vec::new();
        for set in &self.sets {
            let mut runs = Vec::new();
            for run in &set.runs {
                ensure!(!run.states.is_empty(), "{}, {}: no states", set.name, run.name);
                let mut states = Vec::new();
                for state in &run.states {
                    let drawn = state.shapes.iter().map(|shape| {
                        shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
                            shapes.push(shape);
                            shapes.len() - 1
                        })
                    });
                    let drawn: Vec<usize> = drawn.collect();
                    states.push(json!({ "says": state.says, "shapes": drawn }));
                }
                runs.push(json!({ "name": run.name, "isBad": run.is_bad, "states": states }));
            }
            sets.push(json!({ "name": set.name, "runs": runs }));
        }
        let shapes: Vec<Value> = shapes.into_iter().map(Shape::data).collect();
        let (name, choices, size, still) = (self.name, self.choices, self.size(), self.still);
        Ok(json!({
            "name": name,
            "choices": choices,
            "size": size,
            "shapes": shapes,
            "sets": sets,
            "still": still,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_one_right_answer_and_a_reason_against_each_other_one() {
        for name in NAMES {
            let figure = figure(name).expect(name);
            assert!((2..=4).contains(&figure.answers.len()), "{name}");
            let right = figure.answers.iter().filter(|answer| answer.why.is_none()).count();
            assert_eq!(right, 1, "{name}");
            let reasons = figure.answers.iter().filter_map(|answer| answer.why.as_ref());
            assert!(reasons.into_iter().all(|why| why.ends_with('.')), "{name}");
        }
    }

    #[test]
    fn each_state_says_what_has_happened_and_its_words_fit_into_their_boxes() {
        for name in NAMES {
            let figure = figure(name).expect(name);
            let (width, _) = figure.size();
            assert!(width <= 344, "{name} is {width} wide, which is too much for a telephone");
            let runs = figure.sets.iter().flat_map(|set| &set.runs);
            for state in runs.flat_map(|run| &run.states) {
                assert!(state.says.ends_with(['.', '?']), "{name}: {}", state.says);
                for shape in &state.shapes {
                    if let Shape::Box { width, words, .. } = shape {
                        assert!(shapes::width_of(words) <= *width, "{name}: {words}");
                    }
                }
            }
        }
    }

    #[test]
    fn each_run_moves_from_its_first_state_to_its_last() {
        for name in NAMES {
            let figure = figure(name).expect(name);
            for run in figure.sets.iter().flat_map(|set| &set.runs) {
                assert!(run.states.len() > 1, "{name}, {}", run.name);
                for two in run.states.windows(2) {
                    let [one, next] = two else { unreachable!() };
                    assert!(one.shapes != next.shapes, "{name}, {}: {}", run.name, next.says);
                }
            }
        }
    }

    #[test]
    fn the_page_has_each_shape_once() {
        let figure = figure("orders").expect("a figure");
        let data = figure.data().expect("data");
        let shapes = data["shapes"].as_array().expect("shapes");
        let used = data["sets"].to_string().matches("\"says\"").count();
        assert!(used > 200 && shapes.len() < used, "{} shapes for {used} states", shapes.len());
        for (at, shape) in shapes.iter().enumerate() {
            assert!(!shapes[..at].contains(shape), "{shape} twice");
        }
    }
}
