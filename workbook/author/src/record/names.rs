//! Names for descriptors, whose numbers differ from run to run. Where possible, we use the names of
//! the scene's variables.

use std::collections::{BTreeMap, BTreeSet};

use super::noted::Noted;
use super::source::Source;

/// The names of the open descriptors.
#[derive(Default)]
pub(super) struct Names {
    open: BTreeMap<String, String>,
    /// The number that we give each descriptor's open file description. Duplicates share a number.
    descriptions: BTreeMap<String, usize>,
    described: usize,
    /// The descriptors that a loop or a queue has opened for itself.
    of_loops: BTreeSet<String>,
}

/// The calls, as they occur in a scene's lines, that create a loop or a queue.
const LOOPS: [&str; 5] = ["EventLoop::", "ReadyQueue::", "Runner::", " run(", "(run("];

impl Names {
    /// Names the descriptors that are opened at a moment.
    pub(super) fn open(&mut self, noted: &Noted<'_>, source: &Source) {
        let opened = noted.words("opens");
        self.describe(&opened, noted.field("duplicates"));
        let mut lines = noted.lines.iter().map(|it| source.line(it.line));
        if lines.any(|line| LOOPS.iter().any(|it| line.contains(it))) {
            return self.open_for_a_loop(noted.what, &opened);
        }
        let inside = noted.lines.iter().rev().filter(|it| it.file == source.name);
        let bound = inside.map(|it| bound_in(source, it.line)).find(|it| !it.is_empty());
        let names: Vec<String> = match (bound.as_deref(), opened.len()) {
            (Some(names), count) if names.len() == count => names.to_vec(),
            (Some([name]), 2) => ends(noted.what).map(|end| format!("{name}.{end}")).to_vec(),
            (_, 2) => ends(noted.what).map(|end| format!("{}.{end}", kind(noted.what))).to_vec(),
            (Some([name, ..]), _) => vec![name.clone()],
            _ => vec![kind(noted.what).to_owned(); opened.len()],
        };
        for (descriptor, name) in opened.iter().zip(names) {
            let name = self.free(&name);
            self.open.insert((*descriptor).to_owned(), name);
        }
    }

    fn describe(&mut self, opened: &[&str], duplicated: Option<&str>) {
        let shared = duplicated.and_then(|it| self.descriptions.get(it).copied());
        for descriptor in opened {
            self.described += 1;
            let description = shared.unwrap_or(self.described);
            self.descriptions.insert((*descriptor).to_owned(), description);
        }
    }

    /// Returns our number for a descriptor's open file description, or 0 if we didn't see the
    /// descriptor being opened.
    pub(super) fn description(&self, descriptor: &str) -> usize {
        self.descriptions.get(descriptor).copied().unwrap_or(0)
    }

    /// Returns true if any descriptor still refers to this open file description.
    pub(super) fn is_open(&self, description: usize) -> bool {
        self.descriptions.values().any(|it| *it == description)
    }

    fn open_for_a_loop(&mut self, call: &str, opened: &[&str]) {
        let names = match kind(call) {
            "pair" => vec!["self-pipe.a", "self-pipe.b"],
            "eventfd" => vec!["the loop's eventfd"],
            _ => vec!["the loop's epoll"],
        };
        for (descriptor, name) in opened.iter().zip(names) {
            let name = self.free(name);
            self.open.insert((*descriptor).to_owned(), name);
            self.of_loops.insert((*descriptor).to_owned());
        }
    }

    /// Returns true if a loop has opened this descriptor for itself.
    pub(super) fn is_a_loops(&self, descriptor: &str) -> bool {
        self.of_loops.contains(descriptor)
    }

    pub(super) fn close(&mut self, descriptor: &str) {
        self.open.remove(descriptor);
        self.of_loops.remove(descriptor);
        self.descriptions.remove(descriptor);
    }

    /// Returns a descriptor's name. If we didn't see the descriptor being opened, the name is `fd`
    /// and the descriptor's number.
    pub(super) fn of(&self, descriptor: &str) -> String {
        let number = descriptor.trim_matches(['⟨', '⟩']);
        self.open.get(descriptor).cloned().unwrap_or_else(|| format!("fd {number}"))
    }

    /// Returns true if a call is about descriptors that we saw being opened, or about a descriptor
    /// that isn't open. Any other descriptors belong to files that std opens for itself.
    pub(super) fn know(&self, what: &str) -> bool {
        let mut numbers = what.split('⟨').skip(1).filter_map(|it| it.split_once('⟩'));
        numbers.all(|(number, _)| self.open.contains_key(&format!("⟨{number}⟩")))
            || what.ends_with("= EBADF")
    }

    /// Returns a sentence with the names of the descriptors in place of their numbers.
    pub(super) fn in_words(&self, what: &str) -> String {
        let mut pieces = what.split('⟨');
        let mut named = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once('⟩').unwrap_or((piece, ""));
            named += &self.of(&format!("⟨{number}⟩"));
            named += rest;
        }
        named
    }

    /// Returns the name, followed by a number if another descriptor already has the name.
    fn free(&self, name: &str) -> String {
        let taken = |name: &String| self.open.values().any(|it| it == name);
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(|name| !taken(name)).unwrap_or_default()
    }
}

/// Returns the variables that a `let` binds, such as the two variables in
/// `let (reader, writer) = …`.
fn bound_in(source: &Source, line: usize) -> Vec<String> {
    let is_begun_before =
        |line: &str| line.trim_end().ends_with('=') && line.trim_start().starts_with("let ");
    let text = match source.line(line - 1) {
        before if is_begun_before(before) => before,
        _ => source.line(line),
    };
    let Some(pattern) = text.trim_start().strip_prefix("let ").and_then(|it| it.split_once('='))
    else {
        return vec![];
    };
    let pattern = pattern.0.split(':').next().unwrap_or_default();
    let names = pattern.trim().trim_matches(['(', ')', '[', ']']).split(',');
    let names = names.map(|name| name.trim().trim_start_matches("mut ").trim_start_matches('_'));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn ends(call: &str) -> [&'static str; 2] {
    if call.starts_with("pipe2") { ["r", "w"] } else { ["a", "b"] }
}

/// Returns the kind of object that a call creates.
fn kind(call: &str) -> &'static str {
    let kinds = [
        ("pipe2", "pipe"),
        ("socketpair", "pair"),
        ("epoll_create1", "epoll"),
        ("eventfd", "eventfd"),
        ("accept4", "connection"),
        ("socket", "socket"),
    ];
    kinds.iter().find(|(name, _)| call.starts_with(name)).map_or("copy", |(_, kind)| *kind)
}
