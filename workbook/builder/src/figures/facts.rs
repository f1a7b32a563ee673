//! Facts that belong to a descriptor, to the open file description behind it, or to the file
//! itself. We change a real file and its three descriptors step by step. After each change, we ask
//! the kernel about these facts through every descriptor that's still open.

use std::fs::File;
use std::io::{Read, Seek, Write};

use anyhow::{Result, ensure};
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
use step01_fd::set_nonblocking;
use tempfile::NamedTempFile;

use super::shapes::{Look, Shape};
use super::{Answer, Figure, Set, State};

/// The kernel's answers about one descriptor.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Facts {
    closes_on_exec: bool,
    offset: u64,
    is_non_blocking: bool,
    length: u64,
}

/// A change, and the kernel's answers about three descriptors after it. The descriptors are the
/// first one, its duplicate, and one from opening the same path again. There's no answer about a
/// closed descriptor.
#[derive(Debug)]
struct Moment {
    did: &'static str,
    says: &'static str,
    facts: [Option<Facts>; 3],
}

impl Facts {
    fn of(mut file: &File) -> Result<Self> {
        Ok(Facts {
            closes_on_exec: fcntl_getfd(file)?.contains(FdFlags::CLOEXEC),
            offset: file.stream_position()?,
            is_non_blocking: fcntl_getfl(file)?.contains(OFlags::NONBLOCK),
            length: file.metadata()?.len(),
        })
    }
}

/// Makes the changes to a real file and its descriptors. Returns the facts after each change.
fn moments() -> Result<Vec<Moment>> {
    let mut path = NamedTempFile::new()?;
    path.write_all(b"hello")?;
    let file = path.reopen()?;
    let (duplicate, again) = (file.try_clone()?, path.reopen()?);
    let mut moments = Vec::new();
    let mut note = |did, says| -> Result<()> {
        let facts = [Facts::of(&file)?, Facts::of(&duplicate)?, Facts::of(&again)?];
        moments.push(Moment { did, says, facts: facts.map(Some) });
        Ok(())
    };
    note("at first", "Three descriptors lead to two open objects, and both of these to one file.")?;
    (&file).read_exact(&mut [0; 2])?;
    note("read 2 bytes through 3", "The offset is in the open object that 3 and 4 share.")?;
    set_nonblocking(&file, true)?;
    note("set O_NONBLOCK through 3", "This flag is in their open object, too.")?;
    fcntl_setfd(&file, FdFlags::empty())?;
    note(
        "clear close-on-exec of 3",
        "This flag is in the slot of 3 itself. 4 has a flag of its own.",
    )?;
    file.set_len(4)?;
    note("cut the file to 4 bytes through 3", "The length is the file's, so all three see it.")?;
    drop(file);
    (&duplicate).read_exact(&mut [0; 1])?;
    let facts = [None, Some(Facts::of(&duplicate)?), Some(Facts::of(&again)?)];
    let says = "The open object is still there, because 4 leads to it. A byte that's read through 4 comes after \
                those that were read through 3.";
    moments.push(Moment { did: "close 3, read 1 byte through 4", says, facts });
    Ok(moments)
}

pub(super) fn figure() -> Result<Figure> {
    let moments = moments()?;
    let mut states = Vec::new();
    for (at, moment) in moments.iter().enumerate() {
        states.push(moment.state(at.checked_sub(1).map(|before| &moments[before]))?);
    }
    let still = moments.len() - 2;
    Ok(Figure {
        name: "facts",
        title: "What belongs to the number, to the open object, and to the file",
        question: "how many of these four changes does 4 see, and how many does 5?".to_owned(),
        answers: vec![
            Answer::right("4 sees three, 5 sees one"),
            Answer::wrong(
                "4 sees four, 5 sees one",
                "close-on-exec is in the slot of a number, and 4 has a slot of its own.",
            ),
            Answer::wrong(
                "4 sees three, 5 sees none",
                "5 has an open object of its own, but it leads to the same file, which has become shorter.",
            ),
            Answer::wrong(
                "4 sees four, 5 sees none",
                "one change was to the slot of 3, which 4 doesn't share, and one was to the file, which 5 shares.",
            ),
        ],
        explains: EXPLAINS.to_owned(),
        choices: ["", ""],
        sets: vec![Set::of(states)],
        still: [0, 0, still],
    })
}

const EXPLAINS: &str = "A slot in your process's table is tiny: a pointer to an open object, and the flag close-on-exec. \
The offset and `O_NONBLOCK` are the open object's, and so are `O_APPEND` and whether you may read or write. The length is \
the file's, and so are its contents and permissions.";

/// The top edges of the three descriptors' boxes.
const ROWS: [usize; 3] = [72, 132, 206];
const HEIGHT: usize = 26;

impl Moment {
    fn state(&self, before: Option<&Moment>) -> Result<State> {
        let was = |at: usize| before.and_then(|before| before.facts[at]);
        let mut shapes = vec![
            Shape::label(2, 16, self.did, Look::Bold),
            Shape::label(2, 44, "number", Look::Plain),
            Shape::label(134, 44, "open object", Look::Plain),
            Shape::label(260, 44, "the file", Look::Plain),
        ];
        for (at, name) in ["3", "4, its dup", "5, opened again"].into_iter().enumerate() {
            let y = ROWS[at];
            let Some(facts) = self.facts[at] else {
                shapes.push(Shape::label(2, y - 6, "3 is closed", Look::Faint));
                continue;
            };
            shapes.push(Shape::label(2, y - 6, name, Look::Plain));
            let on_exec = if facts.closes_on_exec { "close-on-exec" } else { "stays open" };
            let is_new = was(at).is_some_and(|was| was.closes_on_exec != facts.closes_on_exec);
            shapes.push(chip(2, y, 98, on_exec, is_new));
            let object = [112, 112, 206][at];
            shapes.push(line((100, y + HEIGHT / 2), (132, object)));
        }
        let [_, Some(shared), Some(again)] = self.facts else { anyhow::bail!("4 and 5 stay open") };
        if let Some(first) = self.facts[0] {
            let same = |facts: Facts| (facts.offset, facts.is_non_blocking);
            ensure!(same(first) == same(shared), "3 and 4 share their open object");
        }
        ensure!(shared.length == again.length, "it's one file");
        for (at, y, facts) in [(1, 86, shared), (2, 180, again)] {
            let offset = format!("offset {}", facts.offset);
            let blocks = if facts.is_non_blocking { "non-blocking" } else { "blocks" };
            let is_new = was(at).is_some_and(|was| was.offset != facts.offset);
            shapes.push(chip(134, y, 98, &offset, is_new));
            let is_new = was(at).is_some_and(|was| was.is_non_blocking != facts.is_non_blocking);
            shapes.push(chip(134, y + HEIGHT, 98, blocks, is_new));
            shapes.push(line((232, y + HEIGHT), (258, if at == 1 { 152 } else { 166 })));
        }
        let is_new = was(1).is_some_and(|was| was.length != shared.length);
        shapes.push(chip(260, 146, 80, &format!("{} bytes", shared.length), is_new));
        Ok(State { says: self.says.to_owned(), shapes })
    }
}

fn chip(x: usize, y: usize, width: usize, words: &str, is_new: bool) -> Shape {
    let look = if is_new { Look::Now } else { Look::Plain };
    Shape::Box { x, y, width, height: HEIGHT, words: words.to_owned(), look }
}

fn line(from: (usize, usize), to: (usize, usize)) -> Shape {
    Shape::Line { from, to, has_head: true, look: Look::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each of the four changes, which of the three descriptors show the change.
    fn seen() -> Vec<[bool; 3]> {
        let moments = moments().expect("moments");
        let changes = moments[..5]
            .windows(2)
            .map(|two| [0, 1, 2].map(|at| two[0].facts[at] != two[1].facts[at]));
        changes.collect()
    }

    #[test]
    fn each_change_is_seen_through_the_number_the_open_object_or_the_file() {
        let (number, object, file) = ([true, false, false], [true, true, false], [true; 3]);
        assert_eq!(seen(), [object, object, number, file]);
    }

    #[test]
    fn the_right_answer_counts_what_was_seen() {
        let words = ["none", "one", "two", "three", "four"];
        let count = |at: usize| words[seen().iter().filter(|by| by[at]).count()];
        let figure = figure().expect("a figure");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert_eq!(right.text, format!("4 sees {}, 5 sees {}", count(1), count(2)));
    }

    #[test]
    fn what_has_changed_is_marked_and_nothing_else() {
        let figure = figure().expect("a figure");
        let marked = figure.sets[0].runs[0].states.iter().map(|state| {
            let now = state
                .shapes
                .iter()
                .filter(|shape| matches!(shape, Shape::Box { look: Look::Now, .. }));
            now.filter_map(Shape::words).collect::<Vec<&str>>()
        });
        let marked: Vec<Vec<&str>> = marked.collect();
        let expected: [&[&str]; 6] =
            [&[], &["offset 2"], &["non-blocking"], &["stays open"], &["4 bytes"], &["offset 3"]];
        assert_eq!(marked, expected);
    }
}
