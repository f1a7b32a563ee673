//! A class: after `cargo run -- join ADDRESS CODE NAME`, the teacher's machine receives a report on
//! each verdict, and the reader sees the same report. This machine sends nothing else but the
//! class's code and the reader's name, to join, and the reader's requests for help and to leave.
//! `leave` stops the reports.
//!
//! We show the verdict before we contact the class, so a slow network doesn't delay the verdict.

mod http;

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use tinyjson::JsonValue;

use crate::account::Account;
use crate::arguments::{Form, Usage};
use crate::events;
use crate::json::Json;
use crate::object;
use http::{Address, Answer, post};
use judging::judge::{Judged, Judgement, State};
use judging::notebook::Notebook;
use judging::notebook::page::Page;
use judging::terminal::{Terminal, visible};
use judging::workbook::{Workbook, read, write};

/// The maximum length, in bytes, of a verdict's line that a class accepts.
const LONGEST_LINE: usize = 300;

/// The reader's class.
#[derive(Debug)]
struct Class {
    address: Address,
    /// The token that proves the reader's identity to the class.
    token: String,
    name: String,
}

/// Carries out `join`, `leave`, `raise-hand` or `lower-hand` and prints the outcome. With `--json`,
/// the outcome is for another program.
pub fn carry_out(workbook: Workbook, command: &str, words: &[&str]) -> anyhow::Result<ExitCode> {
    let (words, form) = match words {
        [words @ .., "--json"] => (words, Form::Json),
        words => (words, Form::Text),
    };
    let notebook = Notebook::of(workbook);
    let said = match (command, words) {
        ("join", words) => join(&notebook, words),
        ("leave", []) => leave(&notebook),
        ("raise-hand", []) => raise_hand(&notebook, true),
        ("lower-hand", []) => raise_hand(&notebook, false),
        _ => Err(Usage(format!("{command} takes no arguments")).into()),
    };
    if form == Form::Json {
        let words = said?.join(" ");
        events::tell("class", object! { class: told(&notebook), words: words });
    } else {
        let terminal = Terminal::of_stdout();
        for paragraph in said? {
            terminal.print(&terminal.wrap("", &paragraph));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the reader's class as JSON: the class's address, and the name under which the reader has
/// joined.
pub(crate) fn told(notebook: &Notebook) -> Option<Json> {
    let Class { address, name, .. } = Class::of(notebook)?;
    Some(object! { address: address.to_string(), name: name })
}

fn join(notebook: &Notebook, words: &[&str]) -> anyhow::Result<Vec<String>> {
    notebook.check_edition()?;
    let leave = notebook.typed(None, " -- leave");
    if let Some(Class { address, name, .. }) = Class::of(notebook) {
        bail!(
            "you're already in the class at {address}, as {name}. To leave that class first: \
             {leave}"
        );
    }
    let usage = || Usage("join takes the class's address, its code and your name".to_owned());
    let [address, words @ ..] = words else { return Err(usage().into()) };
    let (address, code) = Address::parse(address)?;
    let (code, name) = match (&code, words) {
        (Some(code), name) => (code.as_str(), name.join(" ")),
        (None, [code, name @ ..]) => (*code, name.join(" ")),
        (None, []) => return Err(usage().into()),
    };
    if name.trim().is_empty() {
        return Err(usage().into());
    }
    let joining = || format!("can't join the class at {address}");
    let answer = post(&address, None, "/class/join", &object! { code: code, name: name })
        .with_context(joining)?;
    if answer.status != 200 {
        bail!("the class at {address} says: {}", answer.sentence());
    }
    let (token, name) = token_and_name(&answer).with_context(joining)?;
    let class = Class { address, token, name };
    class.note(notebook)?;
    let Class { address, name, .. } = class;
    let raise = notebook.typed(None, " -- raise-hand");
    Ok(vec![
        format!("You're in the class, as {name}."),
        format!(
            "After each verdict, your machine tells {address} which of the step's exercises are \
             green, which exercise you're at, and the verdict's outcome and first line. You see \
             each of these messages. Besides them, only your name, the class's code and your \
             requests for help or to leave are sent. All of this is sent over plain HTTP, so \
             others on the same network could read it."
        ),
        format!("For help: {raise}"),
        format!("To leave: {leave}"),
    ])
}

/// Leaves the class and asks it to delete everything that it has received from the reader.
fn leave(notebook: &Notebook) -> anyhow::Result<Vec<String>> {
    let class = Class::of(notebook).context("you haven't joined a class")?;
    let asked = class.post("/class/leave", &object! {});
    // Whatever the class answers, we won't send it anything more.
    Class::forget(notebook)?;
    let address = &class.address;
    let text = match asked {
        Ok(Answer { status: 200, .. }) => {
            "You've left the class, and the class has deleted your data.".to_owned()
        }
        Ok(Answer { status: 401, .. }) => {
            format!("You've left the class. The class at {address} is over or no longer knows you.")
        }
        Ok(answer) => format!(
            "You've left the class, and your machine sends nothing more to {address}. The class \
             may not have deleted your data: {}",
            answer.sentence()
        ),
        Err(error) => format!(
            "You've left the class, and your machine sends nothing more to {address}. The request \
             to delete your data failed ({error:#}), so your data may stay there until the class \
             ends, or longer if the teacher keeps the class's file."
        ),
    };
    Ok(vec![text])
}

/// Tells the teacher that the reader would like help or no longer needs help.
fn raise_hand(notebook: &Notebook, is_raised: bool) -> anyhow::Result<Vec<String>> {
    let class = Class::of(notebook).context(
        "you haven't joined a class. To ask a question about the workbook, see: cargo run -- report",
    )?;
    let answer = class
        .post("/class/help", &object! { wanted: is_raised })
        .with_context(|| format!("can't send your request to the class at {}", class.address))?;
    ensure!(answer.status == 200, "the class at {} says: {}", class.address, answer.sentence());
    let lower = notebook.typed(None, " -- lower-hand");
    let text = if is_raised {
        format!(
            "Your hand is up: your teacher sees that you'd like help. When you've had help: {lower}"
        )
    } else {
        "Your hand is down again.".to_owned()
    };
    Ok(vec![text])
}

/// Returns a phrase that names the reader's class, if the reader has joined one.
pub fn in_words(notebook: &Notebook) -> Option<String> {
    let Class { address, name, .. } = Class::of(notebook)?;
    Some(format!("{address}, as {name}; to leave: {}", notebook.typed(None, " -- leave")))
}

/// Saves the report on a judgement, both as text for the reader and in the form that the class
/// receives. Does nothing if the reader hasn't joined a class.
pub(crate) fn keep(page: &Page, judgement: &Judgement, account: &Account) -> anyhow::Result<()> {
    let notebook = &page.notebook;
    // If we can't save this report, the last one must not be sent in its place.
    let _ = fs::remove_file(kept_file(notebook));
    if Class::of(notebook).is_none() {
        return Ok(());
    }
    // A page that doesn't compile can't be judged, so we count the exercises that were green in
    // earlier judgements.
    let is_broken = account.outcome == State::DoesNotCompile;
    let is_green = |it: &Judged| it.state == State::Green || (is_broken && it.was_green);
    let green = judgement.exercises.iter().filter(|it| is_green(it));
    let green: Vec<&str> = green.map(|it| &*it.exercise.number).collect();
    let is_left = |it: &&Judged| !is_green(it) && !page.is_given(it.exercise);
    let broken = judgement.exercises.iter().find(is_left).filter(|_| is_broken);
    let at = account.exercise.or(broken.map(|it| it.exercise)).map(|it| it.number.as_str());
    let line = first_line(judgement, account);
    let line = line.map(|line| cut(&visible(&line), LONGEST_LINE).to_owned());
    let (package, outcome) = (page.step.package, account.outcome.words());
    let mut words = match at {
        Some(number) => format!("{package}, {number} {outcome}"),
        None => format!("{package}, {outcome}"),
    };
    words += &line.as_ref().map(|line| format!(", “{line}”")).unwrap_or_default();
    if !green.is_empty() {
        words += &format!("; green: {}", green.join(", "));
    }
    let body = object! {
        package: package,
        exercise: at,
        outcome: outcome,
        line: line,
        green: green,
    };
    write(&kept_file(notebook), &format!("{words}\n{body}\n"))
}

/// Returns the line by which a teacher sees which students have the same problem. For a red page,
/// the line names the red scene or trial and then the transcript's first line that isn't as
/// expected or, if there's a fault or no such line, the verdict in words. For a stage that doesn't
/// compile, it's the reason, and for a page that doesn't compile, the compiler's first message.
fn first_line(judgement: &Judgement, account: &Account) -> Option<String> {
    match account.outcome {
        State::Red => {
            let Some(verdict) = &judgement.red else { return judgement.lacks.clone() };
            let wrong = verdict.first_wrong_line();
            let is_told = verdict.run.faults.is_empty() && !wrong.is_empty();
            let what = if is_told { wrong.as_str() } else { account.words.lines().next()? };
            Some(format!("{}: {}", verdict.check.short(), what.trim()))
        }
        // We leave out the place, because it would reveal where the reader keeps their files.
        State::DoesNotCompile => {
            let (_, message) = account.complaints.lines().next()?.split_once(": ")?;
            Some(message.to_owned())
        }
        _ => None,
    }
}

/// Sends the saved report to the class and returns a note for the reader. Returns `None` if the
/// reader hasn't joined a class or no report is saved.
pub(crate) fn tell(notebook: &Notebook) -> Option<String> {
    let class = Class::of(notebook)?;
    let kept = read(&kept_file(notebook)).ok()?;
    let (words, body) = kept.split_once('\n')?;
    let (Class { address, name, .. }, body) = (&class, Json::parsed(body).ok()?);
    Some(match class.post("/class/report", &body) {
        Ok(answer) if answer.status == 200 => {
            let hand = if has_hand_up(&answer) { " Your hand is up." } else { "" };
            format!("Sent to the class as {name}: {words}.{hand}")
        }
        Ok(Answer { status: 401, .. }) => {
            // If this fails, the class will refuse the next report as well, and we'll try again
            // then.
            let _ = Class::forget(notebook);
            format!("The class at {address} is over or no longer knows you, so you've left it.")
        }
        Ok(answer) => format!("The class at {address} refused your report: {}", answer.sentence()),
        Err(error) => format!("The class at {address} didn't confirm your report: {error:#}"),
    })
}

fn has_hand_up(answer: &Answer) -> bool {
    let answer: Option<JsonValue> = answer.body.trim().parse().ok();
    let help = answer.as_ref().and_then(|it| it.get::<Object>()?.get("help")?.get::<bool>());
    help == Some(&true)
}

type Object = std::collections::HashMap<String, JsonValue>;

/// Parses the class's answer to a reader who joins.
fn token_and_name(answer: &Answer) -> anyhow::Result<(String, String)> {
    let value: JsonValue = answer.body.trim().parse().context("the answer isn't JSON")?;
    let text = |key: &str| value.get::<Object>()?.get(key)?.get::<String>().cloned();
    let token = text("token").filter(|token| {
        !token.is_empty() && token.len() <= 200 && token.chars().all(|it| it.is_ascii_graphic())
    });
    let name = text("name").map(|name| cut(&visible(&name), 200).replace('\n', " "));
    match (token, name) {
        (Some(token), Some(name)) => Ok((token, name)),
        _ => bail!("the answer lacks a valid token or name"),
    }
}

/// Returns the beginning of a string, at most `most` bytes long.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

impl Class {
    fn of(notebook: &Notebook) -> Option<Class> {
        let text = fs::read_to_string(class_file(notebook)).ok()?;
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        Some(Class {
            address: Address::noted(field("address ")?),
            token: field("token ")?.to_owned(),
            name: field("name ")?.to_owned(),
        })
    }

    /// Saves the class's data in a file that only the reader can read.
    fn note(&self, notebook: &Notebook) -> anyhow::Result<()> {
        let Class { address, token, name } = self;
        let file = class_file(notebook);
        let noting = || format!("write {}", file.display());
        fs::create_dir_all(notebook.state()).with_context(noting)?;
        let mut open = OpenOptions::new();
        let open = open.write(true).create(true).truncate(true).mode(0o600);
        let mut note = open.open(&file).with_context(noting)?;
        note.set_permissions(Permissions::from_mode(0o600)).with_context(noting)?;
        let text = format!("address {address}\ntoken {token}\nname {name}\n");
        note.write_all(text.as_bytes()).with_context(noting)
    }

    fn forget(notebook: &Notebook) -> anyhow::Result<()> {
        let _ = fs::remove_file(kept_file(notebook));
        let file = class_file(notebook);
        fs::remove_file(&file).with_context(|| format!("remove {}", file.display()))
    }

    fn post(&self, path: &str, body: &Json) -> anyhow::Result<Answer> {
        post(&self.address, Some(&self.token), path, body)
    }
}

fn class_file(notebook: &Notebook) -> PathBuf {
    notebook.state().join("class")
}

fn kept_file(notebook: &Notebook) -> PathBuf {
    notebook.state().join("to_tell")
}
