//! A recording: its moments, each with what has changed, and its file.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::{Context, ensure};
use runner::workbook::{Workbook, read};
use serde::Serialize;
use serde_json::{Value, json};

use super::names::Names;
use super::noted::Noted;
use super::source::{Part, Source};

/// The version of the format, which the book's `recording.js` reads.
const FORMAT: u32 = 1;

/// A recorded run.
pub(super) struct Recording {
    package: String,
    scene: String,
    file: String,
    parts: Vec<Part>,
    twin: Option<Vec<String>>,
    transcript: Vec<String>,
    moments: Vec<Moment>,
}

/// A moment. What has changed since the one before is in `changes`.
#[derive(Serialize)]
struct Moment {
    /// The line that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The lines that have called it, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<usize>,
    kind: String,
    what: String,
    /// How many lines of the transcript have been printed.
    printed: usize,
    #[serde(flatten)]
    changes: serde_json::Map<String, Value>,
}

impl Recording {
    pub(super) fn new(
        workbook: &Workbook,
        package: &str,
        scene: &str,
        transcript: &str,
        noted: &[String],
    ) -> anyhow::Result<Self> {
        let step = workbook.step(package);
        let source = Source::of_scene(&step, scene)?;
        let transcript: Vec<String> = transcript.lines().map(str::to_owned).collect();
        let mut run = Run::default();
        for text in noted {
            let noted = Noted::parse(text)?;
            run.take(&noted, &source).with_context(|| format!("after {text:?}"))?;
        }
        ensure!(run.printed == transcript.len(), "not every line has its moment");
        let lines = run.moments.iter().flat_map(|it| it.line.into_iter().chain(it.callers.clone()));
        let lines: BTreeSet<usize> = lines.chain([source.beginning_of(scene)]).collect();
        let parts = source.parts(&lines.into_iter().collect::<Vec<_>>());
        let twin = step.join(format!("tests/python/twins/{scene}.py"));
        let twin = twin.exists().then(|| read(&twin)).transpose()?;
        Ok(Recording {
            package: package.to_owned(),
            scene: scene.to_owned(),
            file: format!("{package}/src/scenes/{}", source.name),
            parts,
            twin: twin.map(|text| without_docstring(&text)),
            transcript,
            moments: run.moments,
        })
    }

    /// Returns the text of its file: one moment in a line, so that a difference can be read.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        let mut text = String::from("{\n");
        let mut field = |name: &str, value: Value| writeln!(text, "\"{name}\": {value},");
        field("format", FORMAT.into())?;
        field("package", self.package.clone().into())?;
        field("scene", self.scene.clone().into())?;
        field("source", json!({ "file": self.file, "parts": self.parts }))?;
        if let Some(twin) = &self.twin {
            field("twin", json!(twin))?;
        }
        field("transcript", json!(self.transcript))?;
        text += "\"moments\": [\n";
        let moments = self.moments.iter().map(serde_json::to_string);
        text += &moments.collect::<Result<Vec<_>, _>>()?.join(",\n");
        text += "\n]\n}\n";
        Ok(text)
    }
}

/// Returns the lines of a Python program below its docstring.
fn without_docstring(program: &str) -> Vec<String> {
    let after = program.strip_prefix("\"\"\"").and_then(|it| it.split_once("\"\"\""));
    after.map_or(program, |(_, code)| code).trim().lines().map(str::to_owned).collect()
}

/// The run so far.
#[derive(Default)]
struct Run {
    names: Names,
    registered: Vec<Registered>,
    printed: usize,
    /// What was true after the last moment.
    state: serde_json::Map<String, Value>,
    moments: Vec<Moment>,
}

/// A descriptor on an epoll object's list.
struct Registered {
    epoll: String,
    descriptor: String,
    token: String,
    interest: String,
    ready: String,
}

impl Run {
    fn take(&mut self, noted: &Noted<'_>, source: &Source) -> anyhow::Result<()> {
        if noted.field("opens").is_some() {
            self.names.open(noted, source);
        }
        let mut what = self.names.in_words(noted.what);
        self.register(noted);
        if let Some(reported) = self.report(noted)
            && !reported.is_empty()
        {
            what = format!("{what}: {reported}");
        }
        if let Some(closed) = noted.field("closes") {
            self.names.close(closed);
            self.registered.retain(|it| it.descriptor != closed && it.epoll != closed);
        }
        let lines = noted.places.iter().filter(|it| it.file == source.name).map(|it| it.line);
        let mut lines: Vec<usize> = lines.collect();
        lines.dedup();
        if noted.kind == "call" && lines.is_empty() {
            // One of ours, before or after the scene.
            return Ok(());
        }
        self.printed += usize::from(noted.kind == "say");
        let changes = self.changes(noted);
        let mut lines = lines.into_iter();
        self.moments.push(Moment {
            line: lines.next(),
            callers: lines.collect(),
            kind: noted.kind.to_owned(),
            what,
            printed: self.printed,
            changes,
        });
        Ok(())
    }

    fn register(&mut self, noted: &Noted<'_>) {
        if let [epoll, descriptor, token, interest] = noted.words("registers")[..] {
            let place = self.position(epoll, descriptor);
            let registered = Registered {
                epoll: epoll.to_owned(),
                descriptor: descriptor.to_owned(),
                token: token.to_owned(),
                interest: interest.to_owned(),
                ready: String::new(),
            };
            match place {
                Some(place) => self.registered[place] = registered,
                None => self.registered.push(registered),
            }
        }
        if let [epoll, descriptor] = noted.words("unregisters")[..]
            && let Some(place) = self.position(epoll, descriptor)
        {
            self.registered.remove(place);
        }
    }

    fn position(&self, epoll: &str, descriptor: &str) -> Option<usize> {
        self.registered.iter().position(|it| it.epoll == epoll && it.descriptor == descriptor)
    }

    /// Notes what an epoll object has reported, and returns it in words.
    fn report(&mut self, noted: &Noted<'_>) -> Option<String> {
        let words = noted.words("reports");
        let (epoll, events) = words.split_first()?;
        let mut reported = Vec::new();
        for registered in self.registered.iter_mut().filter(|it| it.epoll == *epoll) {
            registered.ready.clear();
        }
        for event in events {
            let (token, ready) = event.split_once(':')?;
            let mut of_it =
                self.registered.iter_mut().filter(|it| it.epoll == *epoll && it.token == token);
            let name = match of_it.next() {
                Some(registered) => {
                    ready.clone_into(&mut registered.ready);
                    self.names.of(&registered.descriptor)
                }
                None => format!("token {token}"),
            };
            reported.push(format!("{name} {ready}"));
        }
        Some(reported.join(", "))
    }

    /// Returns what's different now, and remembers it.
    fn changes(&mut self, noted: &Noted<'_>) -> serde_json::Map<String, Value> {
        let mut now = serde_json::Map::new();
        if !self.registered.is_empty() || self.state.contains_key("descriptors") {
            now.insert("descriptors".to_owned(), self.descriptors());
        }
        let sleeps = noted.field("sleeps").map(|timeout| json!({ "timeout": timeout }));
        if sleeps.is_some() || self.state.contains_key("selector") {
            now.insert("selector".to_owned(), sleeps.unwrap_or(Value::Null));
        }
        now.retain(|name, value| self.state.get(name) != Some(value));
        self.state.extend(now.clone());
        now
    }

    fn descriptors(&self) -> Value {
        let several = self.registered.iter().any(|it| it.epoll != self.registered[0].epoll);
        let described = self.registered.iter().map(|it| {
            let name = self.names.of(&it.descriptor);
            let name =
                if several { format!("{name} in {}", self.names.of(&it.epoll)) } else { name };
            json!({ "name": name, "interest": it.interest, "ready": it.ready })
        });
        described.collect()
    }
}
