//! The shapes in the drawing of a figure's state: boxes, words and lines, in the style of
//! `book/pictures`.
//!
//! `theme/figure.js` draws the same shapes, so a new kind of shape must be added to that script,
//! too. A drawing should be at most 340 pixels wide, so that readers don't have to scroll on a
//! phone.

use serde_json::{Value, json};

use crate::markdown::escaped;

/// A shape, with coordinates in pixels. `(0, 0)` is at the top left.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// A box with centred words.
    Box { x: usize, y: usize, width: usize, height: usize, words: String, look: Look },
    /// Words that begin at `x`, on the baseline `y`.
    Words { x: usize, y: usize, words: String, look: Look },
    /// A straight line, with or without an arrowhead at its end.
    Line { from: (usize, usize), to: (usize, usize), has_head: bool, look: Look },
}

/// A shape's look and its meaning. The shape's words must express the same meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Look {
    Plain,
    /// The shape has just appeared or changed.
    Now,
    /// The shape stands for something that's lost or goes wrong.
    Bad,
    /// The shape stands for something that's still to come or no longer matters.
    Faint,
    /// The shape is a heading.
    Bold,
}

impl Look {
    /// Returns the look's class in `theme/figure.css`.
    fn class(self) -> &'static str {
        match self {
            Look::Plain => "plain",
            Look::Now => "now",
            Look::Bad => "bad",
            Look::Faint => "faint",
            Look::Bold => "bold",
        }
    }
}

impl Shape {
    pub(super) fn label(x: usize, y: usize, words: &str, look: Look) -> Self {
        Shape::Words { x, y, words: words.to_owned(), look }
    }

    /// Returns the coordinates of the shape's right and bottom edges.
    pub(super) fn end(&self) -> (usize, usize) {
        match self {
            Shape::Box { x, y, width, height, .. } => (x + width, y + height),
            Shape::Words { x, y, words, .. } => (x + width_of(words), y + 4),
            Shape::Line { from, to, .. } => (from.0.max(to.0), from.1.max(to.1)),
        }
    }

    pub(super) fn words(&self) -> Option<&str> {
        match self {
            Shape::Box { words, .. } | Shape::Words { words, .. } => Some(words),
            Shape::Line { .. } => None,
        }
    }

    /// Returns the shape's SVG for this figure's picture.
    pub(super) fn drawn(&self, figure: &str) -> String {
        match self {
            Shape::Box { x, y, width, height, words, look } => format!(
                "<g class=\"{}\"><rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" \
                 height=\"{height}\" rx=\"5\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
                 </g>\n",
                look.class(),
                x + width / 2,
                y + height / 2 + 5,
                escaped(words),
            ),
            Shape::Words { x, y, words, look } => {
                format!(
                    "<g class=\"{}\"><text x=\"{x}\" y=\"{y}\">{}</text></g>\n",
                    look.class(),
                    escaped(words)
                )
            }
            Shape::Line { from, to, has_head, look } => {
                let head = format!(" marker-end=\"url(#figure-{figure}-head)\"");
                format!(
                    "<g class=\"{}\"><path class=\"arrow\" d=\"M{} {} L{} {}\"{}/></g>\n",
                    look.class(),
                    from.0,
                    from.1,
                    to.0,
                    to.1,
                    if *has_head { &head } else { "" },
                )
            }
        }
    }

    /// Returns the shape in the format for `theme/figure.js`.
    pub(super) fn data(&self) -> Value {
        match self {
            Shape::Box { x, y, width, height, words, look } => {
                json!({ "x": x, "y": y, "width": width, "height": height, "words": words, "look": look.class() })
            }
            Shape::Words { x, y, words, look } => {
                json!({ "x": x, "y": y, "words": words, "look": look.class() })
            }
            Shape::Line { from, to, has_head, look } => {
                json!({ "from": from, "to": to, "hasHead": has_head, "look": look.class() })
            }
        }
    }
}

/// Returns the approximate width of words at a font size of 13 px.
pub(super) fn width_of(words: &str) -> usize {
    words.chars().count() * 7
}
