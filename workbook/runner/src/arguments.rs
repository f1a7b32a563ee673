//! Parses the words and options of a command line into a command.

use std::error::Error;
use std::fmt;

use lexopt::{Arg, Parser, ValueExt};

use crate::whose::Whose;

/// A command for a step's program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Judge,
    Hint(Option<String>),
    Reveal(String, Consent),
    /// Puts a solution into the page.
    Give(String, Consent),
    Reset(String, Consent),
    List,
    Scenes,
    Play(String, Whose),
    /// Judges on every save.
    Watch,
    /// Asks for a scene's transcript, or lists the predictions.
    Predict(Option<String>),
    Serve(u16, Whose),
    Help,
    Version,
    /// Judges without the frame of a stream, and tells no class; for `watch`.
    JudgeForWatch,
    /// Runs a scene in this very process; for the runner itself.
    RunScene(String),
    /// Runs a trial, or one of its programs, in this very process; for the runner itself.
    RunTrial(Vec<String>),
    /// Runs the server of this very program; for the tests.
    ServeOn(u16),
    /// Lists the names of the scenes; for the tests.
    ListScenes,
    /// Prints what the step has, one per line; for the programs of authors and teachers.
    Describe,
}

/// For whom a command's output is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// For the reader.
    #[default]
    Text,
    /// For the reader, and for an editor that collects problems.
    Problems,
    /// For another program.
    Json,
}

/// The reader's consent to showing a solution or replacing a body: given by `--yes`, or still to be
/// asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Given,
    Ask,
}

/// What a reader can type behind a step's name.
pub const COMMANDS: [&str; 9] =
    ["watch", "hint", "reveal", "reset", "list", "play", "predict", "serve", "help"];
const OPTIONS: [&str; 9] = [
    "--yes",
    "--into-my-page",
    "--json",
    "--problems",
    "--port",
    "--mine",
    "--reference",
    "--help",
    "--version",
];

/// The words and options of a command line, before we check that they fit together.
#[derive(Debug, Default)]
struct Given {
    words: Vec<String>,
    yes: bool,
    into_my_page: bool,
    form: Form,
    port: Option<u16>,
    /// Whose code to run, if it was said.
    whose: Option<Whose>,
}

/// Parses a command line: a command, and for whom its output is.
pub(crate) fn parse(mut parser: Parser) -> Result<(Command, Form), Usage> {
    let mut given = Given::default();
    while let Some(argument) = parser.next().map_err(|error| Usage(error.to_string()))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok((Command::Help, Form::Text)),
            Arg::Short('V') | Arg::Long("version") => return Ok((Command::Version, Form::Text)),
            Arg::Short('y') | Arg::Long("yes") => given.yes = true,
            Arg::Long("into-my-page") => given.into_my_page = true,
            Arg::Long("json") => given.form = Form::Json,
            Arg::Long("problems") => given.form = Form::Problems,
            Arg::Long("port") => given.port = Some(port(&mut parser)?),
            Arg::Long("mine") => given.wants(Whose::Mine)?,
            Arg::Long("reference") => given.wants(Whose::Reference)?,
            Arg::Value(word) => given.words.push(word.to_string_lossy().into_owned()),
            Arg::Long(other) => {
                let name = format!("--{other}");
                return Err(Usage::unknown("option", &name, &OPTIONS));
            }
            Arg::Short(other) => {
                return Err(Usage::unknown("option", &format!("-{other}"), &OPTIONS));
            }
        }
    }
    let form = given.form;
    Ok((given.command()?, form))
}

fn port(parser: &mut Parser) -> Result<u16, Usage> {
    let value = parser.value().map_err(|error| Usage(error.to_string()))?;
    let parsed = value.parse();
    parsed.map_err(|_| Usage("--port takes a number from 0 to 65535".to_owned()))
}

impl Given {
    fn command(self) -> Result<Command, Usage> {
        let consent = if self.yes { Consent::Given } else { Consent::Ask };
        let whose = self.whose.unwrap_or(Whose::Complete);
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let command = match words.as_slice() {
            [] => Command::Judge,
            ["hint"] => Command::Hint(None),
            ["hint", name] => Command::Hint(Some((*name).to_owned())),
            ["reveal", name] if self.into_my_page => Command::Give((*name).to_owned(), consent),
            ["reveal", name] => Command::Reveal((*name).to_owned(), consent),
            ["reset", name] => Command::Reset((*name).to_owned(), consent),
            ["list"] => Command::List,
            ["play"] => Command::Scenes,
            ["play", name] => Command::Play((*name).to_owned(), whose),
            ["watch"] => Command::Watch,
            ["predict"] => Command::Predict(None),
            ["predict", name] => Command::Predict(Some((*name).to_owned())),
            ["serve"] => Command::Serve(self.port.unwrap_or(0), whose),
            ["help"] => Command::Help,
            ["judge-for-watch"] => Command::JudgeForWatch,
            ["run-scene", name] => Command::RunScene((*name).to_owned()),
            ["run-trial", words @ ..] => {
                Command::RunTrial(words.iter().map(|&word| word.to_owned()).collect())
            }
            ["serve-on", port] => {
                Command::ServeOn(port.parse().map_err(|_| Usage(format!("`{port}` isn't a port")))?)
            }
            ["list-scenes"] => Command::ListScenes,
            ["describe"] => Command::Describe,
            ["reveal" | "reset" | "run-scene"] => {
                return Err(Usage(format!("{} takes a name; try `list`", words[0])));
            }
            ["path" | "skip-to" | "join" | "leave" | "raise-hand" | "lower-hand", ..] => {
                let typed = words.join(" ");
                return Err(Usage(format!("that concerns all steps: cargo run -- {typed}")));
            }
            [command, ..] if COMMANDS.contains(command) => {
                return Err(Usage(format!("too many words after `{command}`; try `help`")));
            }
            [other, ..] => return Err(Usage::unknown("command", other, &COMMANDS)),
        };
        self.check_options(&command)?;
        Ok(command)
    }

    fn wants(&mut self, whose: Whose) -> Result<(), Usage> {
        match self.whose.replace(whose) {
            Some(other) if other != whose => {
                Err(Usage("--mine or --reference, but not both".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Fails with `Usage` if the command doesn't take one of the given options. Ignoring the option
    /// would hide a mistake.
    fn check_options(&self, command: &Command) -> Result<(), Usage> {
        let asks = matches!(command, Command::Reveal(..) | Command::Give(..) | Command::Reset(..));
        let gives = matches!(command, Command::Give(..));
        let judges = matches!(command, Command::Judge | Command::JudgeForWatch | Command::Watch);
        let runs = matches!(command, Command::Play(..) | Command::Serve(..));
        let stray = [
            (self.yes && !asks, "--yes", "reveal and reset"),
            (self.into_my_page && !gives, "--into-my-page", "reveal"),
            (self.form == Form::Json && !speaks_json(command), "--json", JSON_COMMANDS),
            (self.form == Form::Problems && !judges, "--problems", "watch and judging"),
            (self.port.is_some() && !matches!(command, Command::Serve(..)), "--port", "serve"),
            (self.whose == Some(Whose::Mine) && !runs, "--mine", "serve and play NAME"),
            (self.whose.is_some() && !runs, "--reference", "serve and play NAME"),
        ];
        match stray.iter().find(|(is_stray, ..)| *is_stray) {
            Some((_, option, commands)) => Err(Usage(format!("{option} belongs to {commands}"))),
            None => Ok(()),
        }
    }
}

/// The commands that can talk to another program.
const JSON_COMMANDS: &str = "judging, watch, list, play NAME, predict, hint NAME, reveal and reset";

fn speaks_json(command: &Command) -> bool {
    match command {
        Command::Hint(name) => name.is_some(),
        Command::Judge | Command::JudgeForWatch | Command::Watch | Command::List => true,
        _ => matches!(
            command,
            Command::Reveal(..)
                | Command::Give(..)
                | Command::Reset(..)
                | Command::Play(..)
                | Command::Predict(_)
        ),
    }
}

/// The error for a command line that we can't make sense of. The exit code is 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Usage {}

impl Usage {
    /// Makes the error for an unknown name: suggests the most similar one, if any is similar
    /// enough, and lists the known ones.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Usage {
        let mut text = format!("there's no {what} `{name}`");
        match similar::get_close_matches(name, known, 1, 0.5).first() {
            Some(nearest) => text += &format!("; did you mean `{nearest}`?"),
            None => text.push('.'),
        }
        if !known.is_empty() {
            text += &format!("\nKnown: {}", known.join("\n       "));
        }
        Usage(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        let parsed = parse(Parser::from_args(line.split_whitespace()));
        parsed.map(|(command, _)| command).map_err(|usage| usage.0)
    }

    #[test]
    fn nothing_means_judge_and_words_mean_their_command() {
        assert_eq!(parsed(""), Ok(Command::Judge));
        assert_eq!(parsed("hint pipe"), Ok(Command::Hint(Some("pipe".into()))));
        assert_eq!(parsed("serve --port 80"), Ok(Command::Serve(80, Whose::Complete)));
        let play = Command::Play("pipe".into(), Whose::Reference);
        assert_eq!(parsed("play pipe --reference"), Ok(play));
        let give = Command::Give("1.1".into(), Consent::Ask);
        assert_eq!(parsed("reveal 1.1 --into-my-page"), Ok(give));
        assert_eq!(parsed("--yes reset 1.1"), Ok(Command::Reset("1.1".into(), Consent::Given)));
    }

    #[test]
    fn a_mistake_is_reported_and_not_ignored() {
        assert!(parsed("hnit").unwrap_err().contains("did you mean `hint`?"));
        assert!(parsed("list --jsno").unwrap_err().contains("did you mean `--json`?"));
        assert!(parsed("serve --port 99999").unwrap_err().contains("0 to 65535"));
        assert!(parsed("play --json").unwrap_err().contains("--json belongs to judging"));
        assert!(parsed("list --problems").unwrap_err().contains("belongs to watch"));
        assert!(parsed("list --yes").unwrap_err().contains("reveal and reset"));
        assert!(parsed("reset 1.1 --into-my-page").unwrap_err().contains("belongs to reveal"));
        assert!(parsed("skip-to 1.3").unwrap_err().contains("cargo run -- skip-to 1.3"));
        assert!(parsed("play --mine").unwrap_err().contains("play NAME"));
        assert!(parsed("serve --mine --reference").unwrap_err().contains("not both"));
        assert!(parsed("reveal").unwrap_err().contains("takes a name"));
    }

    #[test]
    fn a_typo_finds_the_name_that_was_meant() {
        let known = ["descriptors_of_a_second_pipe", "end_of_file"];
        let text = |name| Usage::unknown("scene", name, &known).0;
        assert!(
            text("descriptors_of_a_scond_pipe").contains("mean `descriptors_of_a_second_pipe`?")
        );
        assert!(text("end_of_flie").contains("mean `end_of_file`?"));
        assert!(!text("zzz").contains("did you mean"));
    }
}
