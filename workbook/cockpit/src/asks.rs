//! Turns a page's requests into the workbook's own commands.
//!
//! In these requests, a page names packages, scenes and exercises and, to join a class, gives an
//! address, a code and a name. It never sends a path or a command. The cockpit checks that each of
//! these words is well formed before passing it to a command.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use ecosystem::{LoopSleep, LoopTimer};
use futures_util::Stream;
use futures_util::future::{Either, select};
use futures_util::stream::unfold;
use hyper::StatusCode;
use judging::workbook::Workbook;
use serde::Deserialize;
use serde_json::json;

use crate::program::{Ended, Program, Programs};
use crate::replies::Refusal;

/// The maximum number of simultaneous short commands, which only return an answer.
const ANSWERS: usize = 4;

/// The maximum number of bytes that a command may print.
const MOST_OUTPUT: usize = 8 << 20;

/// A page's request.
#[derive(Debug, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Ask {
    List {},
    Play {
        package: String,
        name: String,
        whose: Whose,
    },
    /// Records a scene's run for the page to step through.
    Record {
        package: String,
        name: String,
        whose: Whose,
    },
    Hint {
        package: String,
        name: String,
    },
    Reveal {
        package: String,
        name: String,
        sure: bool,
    },
    Reset {
        package: String,
        name: String,
        sure: bool,
    },
    /// The reader's answers to the lines of a scene.
    Predict {
        package: String,
        name: String,
        typed: Vec<String>,
    },
    /// Joins a class, given its address and its code.
    Join {
        address: String,
        code: String,
        name: String,
    },
    Leave {},
    RaiseHand {},
    LowerHand {},
}

/// The code on which a scene runs.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Whose {
    Mine,
    Reference,
}

impl Whose {
    fn option(self) -> &'static str {
        match self {
            Whose::Mine => "--mine",
            Whose::Reference => "--reference",
        }
    }
}

impl Ask {
    /// Returns true for a command that plays or records a scene, which can take a long time. Only
    /// one such command can run at a time.
    fn plays(&self) -> bool {
        matches!(self, Ask::Play { .. } | Ask::Record { .. })
    }

    /// Returns the package and the scene or exercise that the request names, if any.
    fn names(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Ask::List {}
            | Ask::Join { .. }
            | Ask::Leave {}
            | Ask::RaiseHand {}
            | Ask::LowerHand {} => (None, None),
            Ask::Play { package, name, .. }
            | Ask::Record { package, name, .. }
            | Ask::Hint { package, name }
            | Ask::Reveal { package, name, .. }
            | Ask::Reset { package, name, .. }
            | Ask::Predict { package, name, .. } => (Some(package), Some(name)),
        }
    }

    /// Returns the lines for the command's input. Fails if one of the reader's answers contains a
    /// control character, such as the end of a line.
    fn input(&self) -> Result<Option<String>, Refusal> {
        let Ask::Predict { typed, .. } = self else { return Ok(None) };
        if typed.iter().any(|line| line.contains(char::is_control)) {
            return Err(Refusal(
                StatusCode::BAD_REQUEST,
                "an answer must be one line without control characters",
            ));
        }
        Ok(Some(typed.iter().flat_map(|line| [line.as_str(), "\n"]).collect()))
    }

    /// Returns the arguments for `cargo run`. Fails if the request names an unknown package or if
    /// another name in the request isn't well formed.
    fn arguments(&self, root: &Path) -> Result<Vec<String>, Refusal> {
        let (package, name) = self.names();
        let is_known = package.is_none_or(|package| is_part(root, package));
        if !is_known || !name.is_none_or(is_name) {
            let why = "there's no exercise, scene or step with that name";
            return Err(Refusal(StatusCode::BAD_REQUEST, why));
        }
        let (package, name) = (package.unwrap_or_default(), name.unwrap_or_default());
        let words = match self {
            Ask::List {} => vec!["--", "list"],
            Ask::Play { whose, .. } => vec!["-p", package, "--", "play", name, whose.option()],
            // The `author` program makes the recording, because a reader's first build doesn't
            // include that code.
            Ask::Record { whose, .. } => {
                vec!["-p", "author", "--", "record", package, name, whose.option()]
            }
            Ask::Hint { .. } => vec!["-p", package, "--", "hint", name],
            Ask::Reveal { .. } => vec!["-p", package, "--", "reveal", name],
            Ask::Reset { .. } => vec!["-p", package, "--", "reset", name],
            Ask::Predict { .. } => vec!["-p", package, "--", "predict", name],
            Ask::Join { address, code, name } => {
                if ![address, code, name].into_iter().all(|word| is_plain(word)) {
                    let why = "an address, a code or a name must start with a letter, a digit or [ \
                               and have at most 200 bytes; control characters and ASCII signs \
                               other than .:-[]' aren't allowed";
                    return Err(Refusal(StatusCode::BAD_REQUEST, why));
                }
                vec!["--", "join", address, code, name]
            }
            Ask::Leave {} => vec!["--", "leave"],
            Ask::RaiseHand {} => vec!["--", "raise-hand"],
            Ask::LowerHand {} => vec!["--", "lower-hand"],
        };
        let consent = match self {
            Ask::Reveal { sure, .. } | Ask::Reset { sure, .. } => *sure,
            _ => false,
        };
        let words = words.into_iter().chain(consent.then_some("--yes"));
        Ok(words.chain(["--json"]).map(str::to_owned).collect())
    }
}

/// Returns true if the package has exercises: a step, the library, or the loop from scratch.
pub(crate) fn is_part(root: &Path, package: &str) -> bool {
    is_name(package)
        && Workbook::at(root.to_owned())
            .is_ok_and(|workbook| workbook.step(package).join("exercises.toml").is_file())
}

/// Returns true if a string can be the name of a package, a scene or an exercise, such as `1.1` or
/// `level_or_edge`.
fn is_name(text: &str) -> bool {
    let is_in_names = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    (1..=100).contains(&text.len())
        && text.bytes().all(is_in_names)
        && !text.starts_with('.')
        && !text.contains("..")
}

/// Returns true if a string can be an address, a code or a person's name and can't be an option.
fn is_plain(text: &str) -> bool {
    // Names in some scripts contain characters other than letters, such as vowel signs. The class
    // decides which names are valid.
    let is_foreign = |it: char| !it.is_ascii() && !it.is_control();
    let is_in_words = |it: char| it.is_alphanumeric() || " .:-[]'’".contains(it) || is_foreign(it);
    text.len() <= 200
        && text.chars().all(is_in_words)
        && text.starts_with(|it: char| it.is_alphanumeric() || it == '[')
}

/// The commands that run for pages.
#[derive(Debug)]
pub(crate) struct Commands {
    programs: Rc<Programs>,
    /// Each running command that plays or records a scene holds a clone.
    playing: Rc<()>,
    /// Each other running command holds a clone.
    answering: Rc<()>,
    /// The maximum time for a command, including the time to compile its program.
    limit: Duration,
}

impl Commands {
    pub(crate) fn new(programs: &Rc<Programs>, limit: Duration) -> Self {
        let programs = Rc::clone(programs);
        Commands { programs, playing: Rc::default(), answering: Rc::default(), limit }
    }

    /// Starts the command for a page's request and returns the command's lines. If the page closes
    /// the stream, the command is stopped.
    pub(crate) fn start(
        &self,
        root: &Path,
        ask: &Ask,
    ) -> Result<impl Stream<Item = Bytes> + 'static, Refusal> {
        let (arguments, input) = (ask.arguments(root)?, ask.input()?);
        let (running, most) =
            if ask.plays() { (&self.playing, 1) } else { (&self.answering, ANSWERS) };
        if Rc::strong_count(running) > most {
            let why = "another command is still running: wait for it or stop it";
            return Err(Refusal(StatusCode::CONFLICT, why));
        }
        let failed =
            Refusal(StatusCode::SERVICE_UNAVAILABLE, "cargo can't be started on this machine");
        let mut program = self.programs.cargo_run(&arguments).map_err(|_| failed)?;
        if let Some(input) = input {
            program.read(input).map_err(|_| failed)?;
        }
        let work = Work {
            program,
            _slot: Rc::clone(running),
            left: MOST_OUTPUT,
            limit: LoopTimer.sleep(self.limit),
        };
        Ok(unfold(Some(work), async |work| {
            let (line, work) = work?.goes_on().await;
            Some((Bytes::from(line + "\n"), work))
        }))
    }
}

/// A command that runs for a page.
struct Work {
    program: Program,
    _slot: Rc<()>,
    /// The number of bytes that the command may still print.
    left: usize,
    limit: LoopSleep,
}

impl Work {
    /// Returns the next line, along with the rest of the work if any is left.
    async fn goes_on(mut self) -> (String, Option<Work>) {
        let outcome = match select(Box::pin(self.program.line()), &mut self.limit).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => {
                return (stopped("The command took too long, so the cockpit stopped it."), None);
            }
        };
        match outcome {
            Ok(Some(line)) if line.len() < self.left => {
                self.left -= line.len();
                (line, Some(self))
            }
            Ok(Some(_)) => {
                let why =
                    "The command printed more than a page can show, so the cockpit stopped it.";
                (stopped(why), None)
            }
            Ok(None) => (over(self.program.ended().await), None),
            Err(error) => (stopped(&error.to_string()), None),
        }
    }
}

/// Returns the last line that a page receives about a command. The line says how the command ended.
pub(crate) fn over(ended: asyncio::Result<Ended>) -> String {
    match ended {
        Ok(Ended { code, report }) => {
            json!({ "event": "over", "code": code, "report": report }).to_string()
        }
        Err(error) => stopped(&error.to_string()),
    }
}

fn stopped(words: &str) -> String {
    json!({ "event": "over", "code": null, "report": words }).to_string()
}
