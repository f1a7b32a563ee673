//! Draws a state as a timeline that runs downwards. Below the state that two actors share, the
//! drawing shows their past and future actions, with a column for each actor.

use super::shapes::{Look, Shape, width_of};

/// The left edges of the columns and their width.
const COLUMNS: [usize; 2] = [2, 172];
const WIDTH: usize = 164;
const LINE: usize = 32;

/// An action by one of the two actors.
#[derive(Debug, Clone)]
pub(super) struct Deed {
    /// 0 for the left column and 1 for the right.
    pub(super) column: usize,
    /// The text while the action is still to come.
    pub(super) name: String,
    /// The text once the action is finished, with its outcome.
    pub(super) done: String,
    pub(super) is_bad: bool,
}

/// Part of the shared state: its name, its value, and whether the value is wrong.
pub(super) type Shared = (&'static str, String, bool);

/// Draws the shared state and the actions. The first `done` actions have been carried out, and the
/// other actions are still to come.
pub(super) fn drawn(
    actors: [&str; 2],
    shared: &[Shared],
    deeds: &[Deed],
    done: usize,
) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (at, (name, value, is_bad)) in shared.iter().enumerate() {
        let (x, y) = (COLUMNS[at % 2], 2 + at / 2 * LINE);
        let begin = width_of(name) + 14;
        let look = if *is_bad { Look::Bad } else { Look::Plain };
        shapes.push(Shape::Words {
            x: x + 2,
            y: y + 17,
            words: (*name).to_owned(),
            look: Look::Plain,
        });
        shapes.push(Shape::Box {
            x: x + begin,
            y,
            width: WIDTH - begin,
            height: 24,
            words: value.clone(),
            look,
        });
    }
    let top = 8 + shared.len().div_ceil(2) * LINE;
    let (from, to) = ((COLUMNS[0], top - 7), (COLUMNS[1] + WIDTH, top - 7));
    shapes.push(Shape::Line { from, to, has_head: false, look: Look::Faint });
    for (x, actor) in COLUMNS.into_iter().zip(actors) {
        shapes.push(Shape::Words {
            x: x + 2,
            y: top + 22,
            words: actor.to_owned(),
            look: Look::Bold,
        });
    }
    for (at, deed) in deeds.iter().enumerate() {
        let (words, look) = match at + 1 {
            number if number > done => (&deed.name, Look::Faint),
            _ if deed.is_bad => (&deed.done, Look::Bad),
            number if number == done => (&deed.done, Look::Now),
            _ => (&deed.done, Look::Plain),
        };
        shapes.push(Shape::Box {
            x: COLUMNS[deed.column],
            y: top + LINE * (at + 1),
            width: WIDTH,
            height: 26,
            words: words.clone(),
            look,
        });
    }
    shapes
}
