//! Parses a command line and reports parts that don't fit together.

use std::error::Error;
use std::fmt;

use lexopt::{Arg, Parser, ValueExt};

use crate::whose::Whose;

/// The audience of a command's output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// The reader.
    #[default]
    Text,
    /// The reader and an editor that collects problems.
    Problems,
    /// Another program.
    Json,
}

/// The reader's consent to see a solution or to have a body replaced. With `--yes`, the reader
/// agrees in advance. Otherwise we have to ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Consent {
    Given,
    #[default]
    Ask,
}

/// The words that a reader can type after a step's name.
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

/// The words and options of a command line. We've checked that they fit together.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// The command and its arguments.
    pub(crate) words: Vec<String>,
    pub(crate) form: Form,
    pub(crate) consent: Consent,
    pub(crate) into_my_page: bool,
    pub(crate) port: Option<u16>,
    /// The reader's choice of whose code to run, if any.
    pub(crate) whose: Option<Whose>,
}

/// Parses a command line.
pub(crate) fn parse(mut parser: Parser) -> Result<Arguments, Usage> {
    let mut given = Arguments::default();
    while let Some(argument) = parser.next().map_err(|error| Usage(error.to_string()))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Arguments::of("help")),
            Arg::Short('V') | Arg::Long("version") => return Ok(Arguments::of(VERSION)),
            Arg::Short('y') | Arg::Long("yes") => given.consent = Consent::Given,
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
    let words: Vec<&str> = given.words.iter().map(String::as_str).collect();
    given.fit(options_of(&words)?)?;
    Ok(given)
}

/// The option `--version`, which we carry out like a command.
pub(crate) const VERSION: &str = "--version";

fn port(parser: &mut Parser) -> Result<u16, Usage> {
    let value = parser.value().map_err(|error| Usage(error.to_string()))?;
    let parsed = value.parse();
    parsed.map_err(|_| Usage("--port takes a number from 0 to 65535".to_owned()))
}

/// Returns the options that a command accepts. Fails if there's no such command, or if the command
/// doesn't accept these words.
fn options_of(words: &[&str]) -> Result<&'static [&'static str], Usage> {
    Ok(match words {
        [] | ["watch" | "judge-for-watch"] => &["--json", "--problems"],
        ["list" | "predict"] | ["hint" | "predict", _] => &["--json"],
        ["reveal", _] => &["--yes", "--into-my-page", "--json"],
        ["reset", _] => &["--yes", "--json"],
        ["play", _] => &["--json", "--mine", "--reference"],
        ["serve"] => &["--port", "--mine", "--reference"],
        ["hint" | "play" | "help" | "describe"] => &[],
        ["reveal" | "reset"] => {
            return Err(Usage(format!("{} needs a name; try `list`", words[0])));
        }
        ["path" | "skip-to" | "join" | "leave" | "raise-hand" | "lower-hand", ..] => {
            let typed = words.join(" ");
            let why = format!("`{typed}` is a command for all steps: cargo run -- {typed}");
            return Err(Usage(why));
        }
        [command, ..] if COMMANDS.contains(command) => {
            return Err(Usage(format!("too many words after `{command}`; try `help`")));
        }
        [other, ..] => return Err(Usage::unknown("command", other, &COMMANDS)),
    })
}

impl Arguments {
    fn of(command: &str) -> Arguments {
        Arguments { words: vec![command.to_owned()], ..Arguments::default() }
    }

    fn wants(&mut self, whose: Whose) -> Result<(), Usage> {
        match self.whose.replace(whose) {
            Some(other) if other != whose => {
                Err(Usage("type --mine or --reference, not both".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Fails if the reader gave any option that isn't in `options`. Ignoring an option would hide a
    /// mistake.
    fn fit(&self, options: &[&str]) -> Result<(), Usage> {
        let given = [
            (self.consent == Consent::Given, "--yes", "reveal and reset"),
            (self.into_my_page, "--into-my-page", "reveal"),
            (self.form == Form::Json, "--json", JSON_COMMANDS),
            (self.form == Form::Problems, "--problems", "watch and judging"),
            (self.port.is_some(), "--port", "serve"),
            (self.whose == Some(Whose::Mine), "--mine", "serve and play NAME"),
            (self.whose == Some(Whose::Reference), "--reference", "serve and play NAME"),
        ];
        let stray =
            given.iter().find(|(is_given, option, _)| *is_given && !options.contains(option));
        match stray {
            Some((_, option, commands)) => {
                Err(Usage(format!("{option} is an option of {commands}")))
            }
            None => Ok(()),
        }
    }
}

/// The commands that can produce output for another program.
const JSON_COMMANDS: &str = "judging, watch, list, play NAME, predict, hint NAME, reveal and reset";

/// The error for a command line that we don't understand or can't carry out as typed. The exit code
/// is 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Usage {}

impl Usage {
    /// Creates the error for an unknown name. The error suggests the most similar known name, if
    /// any is similar enough, and lists all known names.
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

    fn parsed(line: &str) -> Result<Arguments, String> {
        parse(Parser::from_args(line.split_whitespace())).map_err(|usage| usage.0)
    }

    #[test]
    fn words_and_options_are_told_apart_wherever_they_stand() {
        assert_eq!(parsed("").unwrap().words, [""; 0]);
        assert_eq!(parsed("hint pipe").unwrap().words, ["hint", "pipe"]);
        assert_eq!(parsed("serve --port 80").unwrap().port, Some(80));
        let play = parsed("play pipe --reference").unwrap();
        assert_eq!((play.words.len(), play.whose), (2, Some(Whose::Reference)));
        let give = parsed("reveal 1.1 --into-my-page").unwrap();
        assert_eq!((give.into_my_page, give.consent), (true, Consent::Ask));
        let reset = parsed("--yes reset 1.1").unwrap();
        assert_eq!((reset.words.len(), reset.consent), (2, Consent::Given));
    }

    #[test]
    fn a_mistake_is_reported_and_not_ignored() {
        assert!(parsed("hnit").unwrap_err().contains("did you mean `hint`?"));
        assert!(parsed("list --jsno").unwrap_err().contains("did you mean `--json`?"));
        assert!(parsed("serve --port 99999").unwrap_err().contains("0 to 65535"));
        assert!(parsed("play --json").unwrap_err().contains("--json is an option of judging"));
        assert!(parsed("list --problems").unwrap_err().contains("is an option of watch"));
        assert!(parsed("list --yes").unwrap_err().contains("reveal and reset"));
        assert!(parsed("reset 1.1 --into-my-page").unwrap_err().contains("is an option of reveal"));
        assert!(parsed("skip-to 1.3").unwrap_err().contains("cargo run -- skip-to 1.3"));
        assert!(parsed("play --mine").unwrap_err().contains("play NAME"));
        assert!(parsed("serve --mine --reference").unwrap_err().contains("not both"));
        assert!(parsed("reveal").unwrap_err().contains("needs a name"));
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
