//! Shows what moves before and after a coroutine is pinned. A real coroutine reports where its own
//! variables are in memory.

use std::cell::Cell;
use std::future::poll_fn;
use std::mem;
use std::pin::Pin;
use std::ptr::from_ref;
use std::task::{Context, Poll, Waker};

use anyhow::{Context as _, Result, ensure};

use super::shapes::{Look, Shape};
use super::{Answer, Figure, Set, State};

/// The address of `buffer` and the address in `rest` in the chapter's `example`, as the coroutine
/// itself sees them.
#[derive(Debug, Clone, Copy)]
struct Inside {
    buffer: usize,
    rest: usize,
}

/// Where the coroutine and its pin are at one moment. The places are numbered in the order in which
/// they're first used.
#[derive(Debug, Clone, PartialEq)]
struct Moment {
    coroutine: usize,
    pin: Option<usize>,
    /// The place that `rest` points to, once `rest` exists.
    rest: Option<usize>,
}

/// The chapter's coroutine. It reports the addresses in [`Inside`] before and after its await.
async fn example(seen: &Cell<Option<Inside>>) {
    let buffer = [0_u8; 64];
    let rest = &buffer[8..];
    let inside = || Inside { buffer: from_ref(&buffer).addr(), rest: rest.as_ptr().addr() };
    seen.set(Some(inside()));
    pause().await;
    seen.set(Some(inside()));
}

async fn pause() {
    let mut has_paused = false;
    poll_fn(|_| {
        let is_over = mem::replace(&mut has_paused, true);
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Records where the coroutine and its pin are.
struct Places<'a> {
    seen: &'a Cell<Option<Inside>>,
    known: Vec<usize>,
    moments: Vec<Moment>,
}

impl Places<'_> {
    fn note<C>(&mut self, coroutine: &C, pin: Option<&Pin<Box<C>>>) -> Result<()> {
        let address = from_ref(coroutine).addr();
        let extent = address..address + mem::size_of_val(coroutine);
        let place = self.place(address);
        let pin = pin.map(|pin| self.place(from_ref(pin).addr()));
        let mut moment = Moment { coroutine: place, pin, rest: None };
        if let Some(Inside { buffer, rest }) = self.seen.get() {
            ensure!(
                extent.contains(&buffer) && rest == buffer + 8,
                "the coroutine points into itself"
            );
            moment.rest = Some(place);
        }
        self.moments.push(moment);
        Ok(())
    }

    fn place(&mut self, address: usize) -> usize {
        self.known.iter().position(|it| *it == address).unwrap_or_else(|| {
            self.known.push(address);
            self.known.len() - 1
        })
    }
}

/// The number of the place in the second vector.
const SECOND: usize = 1;

/// Creates the coroutine, moves it, pins it, polls it, moves its pin, and polls it again. Each
/// vector keeps its memory until the end, so no place has the address of an earlier place. The last
/// moment shows a move that safe code can't make.
fn moments() -> Result<Vec<Moment>> {
    let seen = Cell::new(None);
    let mut places = Places { seen: &seen, known: Vec::new(), moments: Vec::new() };
    let mut context = Context::from_waker(Waker::noop());
    let mut first = vec![example(&seen)];
    places.note(&first[0], None)?;
    let mut second = Vec::with_capacity(1);
    second.extend(first.pop());
    places.note(&second[0], None)?;
    let mut pins = vec![Box::pin(second.pop().context("a coroutine")?)];
    places.note(&*pins[0], Some(&pins[0]))?;
    ensure!(pins[0].as_mut().poll(&mut context).is_pending(), "it pauses");
    places.note(&*pins[0], Some(&pins[0]))?;
    let mut others = Vec::with_capacity(1);
    others.extend(pins.pop());
    places.note(&*others[0], Some(&others[0]))?;
    ensure!(others[0].as_mut().poll(&mut context).is_ready(), "it ends");
    // A move would copy the coroutine's bytes, including the bytes of `rest`. We can't run this
    // step, because safe code can't make such a move.
    let elsewhere = places.known[SECOND]..places.known[SECOND] + mem::size_of_val(&*others[0]);
    let rest = seen.get().context("it has been polled")?.rest;
    ensure!(!elsewhere.contains(&rest), "rest would point into the copy");
    let last = places.moments.last().context("moments")?;
    let copied = Moment { coroutine: SECOND, ..last.clone() };
    places.moments.push(copied);
    Ok(places.moments)
}

pub(super) fn figure() -> Result<Figure> {
    let moments = moments()?;
    let states = moments.iter().zip(SAYS).enumerate();
    let states = states.map(|(at, (moment, says))| State {
        says: says.to_owned(),
        shapes: moment.shapes(at.checked_sub(1).map(|before| &moments[before])),
    });
    Ok(Figure {
        name: "pin",
        title: "Which part of a pinned coroutine moves",
        question: "after the first poll, the <code>Pin&lt;Box&lt;…&gt;&gt;</code> is pushed onto another vector. \
                   What moves?"
            .to_owned(),
        answers: vec![
            Answer::right("the pointer; the coroutine stays"),
            Answer::wrong(
                "the coroutine, and rest is adjusted",
                "a move only copies bytes. No code runs that could adjust a pointer.",
            ),
            Answer::wrong(
                "the coroutine, and rest points to its old place",
                "that's what the pin is there to prevent. It's a pointer to the coroutine, and only the pointer moves.",
            ),
            Answer::wrong(
                "nothing: what's pinned can't be pushed",
                "the coroutine is pinned. The Pin itself is an ordinary value.",
            ),
        ],
        explains: EXPLAINS.to_owned(),
        choices: ["", ""],
        sets: vec![Set::of(states.collect())],
        still: [0, 0, 4],
    })
}

const SAYS: [&str; 6] = [
    "example() has made the coroutine, which is in a vector. None of it has run, so there's no rest yet that could point anywhere.",
    "The coroutine moves to another vector: its bytes are copied. Nothing points into it, so that's harmless.",
    "Box::pin puts the coroutine on the heap and returns a pointer to it. Through that pointer, safe code can't move the coroutine.",
    "The first poll: now there's a buffer, and rest points into it. Both are in the coroutine.",
    "The Pin is pushed onto another vector. Its pointer is copied, and the coroutine stays where it is.",
    "If the coroutine could be moved out of its box, rest would still point to where buffer was. rustc refuses to \
     compile that.",
];

const EXPLAINS: &str = "Until you pin a coroutine, you may move it, which is why you can return it from a function and \
pass it to `create_task`. Only a pinned coroutine can be polled, so from its first poll on, it has to stay where it is.";

const LINE: usize = 24;

/// The positions of the places, and their labels: three for the coroutine on the right, two for the
/// pin on the left.
const PLACES: [(usize, usize, &str); 5] = [
    (176, 22, "a vector"),
    (176, 98, "a second vector"),
    (176, 174, "the heap"),
    (2, 98, "a vector of pins"),
    (2, 174, "a second vector of pins"),
];

impl Moment {
    fn shapes(&self, before: Option<&Moment>) -> Vec<Shape> {
        let is_forbidden = self.rest.is_some_and(|rest| rest != self.coroutine);
        let look = |has_moved: bool| match has_moved {
            true if is_forbidden => Look::Bad,
            true => Look::Now,
            false => Look::Plain,
        };
        let coroutine_look = look(before.is_some_and(|before| before.coroutine != self.coroutine));
        let pin_look = look(before.is_some_and(|before| before.pin != self.pin));
        let rest_look = look(is_forbidden || before.is_some_and(|before| before.rest != self.rest));
        // The places are numbered in the order in which they're first used.
        let used = self.pin.unwrap_or(self.coroutine);
        let mut shapes = Vec::new();
        for (place, (x, y, name)) in PLACES.into_iter().enumerate().take(used + 1) {
            shapes.push(Shape::Words {
                x: x + 2,
                y: y - 6,
                words: name.to_owned(),
                look: Look::Plain,
            });
            let mut cell = |line: usize, lines: usize, words: &str, look| {
                let (width, words) = (if x == 2 { 120 } else { 164 }, words.to_owned());
                shapes.push(Shape::Box {
                    x,
                    y: y + line * LINE,
                    width,
                    height: lines * LINE,
                    words,
                    look,
                });
            };
            let is_pin = self.pin == Some(place);
            match self.rest {
                _ if is_pin => cell(0, 1, "Pin<Box<…>>", pin_look),
                _ if x == 2 => cell(0, 1, "moved away", Look::Faint),
                None if self.coroutine == place => cell(0, 2, "not begun", coroutine_look),
                Some(_) if self.coroutine == place => {
                    cell(0, 1, "buffer", coroutine_look);
                    cell(1, 1, "rest", rest_look);
                }
                Some(rest) if rest == place => cell(0, 2, "free, or reused", Look::Faint),
                _ => cell(0, 2, "moved away", Look::Faint),
            }
        }
        if let Some(pin) = self.pin {
            let from = (122, PLACES[pin].1 + LINE / 2);
            shapes.push(arrow(from, (174, PLACES[2].1 + LINE), pin_look));
        }
        if let Some(rest) = self.rest {
            let from = (320, PLACES[self.coroutine].1 + 3 * LINE / 2);
            let above = if is_forbidden { 0 } else { LINE / 2 };
            shapes.push(arrow(from, (320, PLACES[rest].1 + above), rest_look));
        }
        shapes
    }
}

fn arrow(from: (usize, usize), to: (usize, usize), look: Look) -> Shape {
    Shape::Line { from, to, has_head: true, look }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    fn moment(coroutine: usize, pin: Option<usize>, rest: Option<usize>) -> Moment {
        Moment { coroutine, pin, rest }
    }

    #[test]
    fn a_pin_moves_and_its_coroutine_stays() {
        let moments = moments().expect("moments");
        let expected = [
            moment(0, None, None),
            moment(1, None, None),
            moment(2, Some(3), None),
            moment(2, Some(3), Some(2)),
            moment(2, Some(4), Some(2)),
            moment(1, Some(4), Some(2)),
        ];
        assert_eq!(moments, expected);
        let figure = figure().expect("a figure");
        assert_eq!(figure.sets[0].runs[0].states.len(), moments.len(), "each has its sentence");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, "the pointer; the coroutine stays");
    }

    #[test]
    fn only_the_move_that_cannot_be_made_is_marked_as_bad() {
        let figure = figure().expect("a figure");
        let is_bad = |shape: &Shape| matches!(shape, Shape::Line { look: Look::Bad, .. });
        let states = figure.sets[0].runs[0].states.iter();
        let bad: Vec<bool> = states.map(|state| state.shapes.iter().any(is_bad)).collect();
        assert_eq!(bad, [false, false, false, false, false, true]);
    }

    /// Checks that the last move doesn't compile and that the same move compiles if the coroutine
    /// isn't pinned.
    #[test]
    fn rustc_refuses_to_move_a_coroutine_out_of_its_pin() {
        let make = "let made = Box::new(async { std::future::ready(()).await });";
        let unpinned = format!("fn main() {{ {make} drop(*made); }}");
        let pinned = format!(
            "fn main() {{ {make} let pinned = Box::into_pin(made); drop(*std::pin::Pin::into_inner(pinned)); }}"
        );
        assert_eq!(rustc_says(&unpinned), "");
        let said = rustc_says(&pinned);
        assert!(said.contains("E0277") && said.contains("cannot be unpinned"), "{said}");
    }

    fn rustc_says(program: &str) -> String {
        let directory = tempfile::tempdir().expect("a directory");
        let mut rustc = Command::new("rustc")
            .args(["--edition=2024", "--emit=metadata", "-A", "warnings", "--out-dir"])
            .arg(directory.path())
            .arg("-")
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("rustc");
        let mut stdin = rustc.stdin.take().expect("a pipe");
        stdin.write_all(program.as_bytes()).expect("it reads");
        drop(stdin);
        let output = rustc.wait_with_output().expect("it ends");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}
