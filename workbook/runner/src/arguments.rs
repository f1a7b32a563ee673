//! The words and options of a command line, and the command they make.

use lexopt::{Arg, Parser, ValueExt};

use crate::usage::Usage;

/// What a step's program is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Judge,
    Hint(Option<String>),
    Reveal(String, Consent),
    Reset(String, Consent),
    List {
        json: bool,
    },
    Scenes {
        names_alone: bool,
    },
    Play(String),
    Serve(u16),
    Help,
    Version,
    /// For the runner itself: play a scene in this very process.
    RunScene(String),
    /// For maintainers.
    Check,
    Describe,
    Soak(u32),
}

/// Whether to ask before something is shown or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Given,
    Ask,
}

const COMMANDS: [&str; 7] = ["hint", "reveal", "reset", "list", "play", "serve", "help"];
const OPTIONS: [&str; 5] = ["--yes", "--json", "--port", "--help", "--version"];

/// The words and options of a command line, before they are held against each other.
#[derive(Debug, Default)]
struct Given {
    words: Vec<String>,
    yes: bool,
    json: bool,
    names: bool,
    port: Option<u16>,
}

/// Understands a command line.
pub(crate) fn parse(mut parser: Parser) -> Result<Command, Usage> {
    let mut given = Given::default();
    while let Some(argument) = parser.next().map_err(|error| Usage(error.to_string()))? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Short('V') | Arg::Long("version") => return Ok(Command::Version),
            Arg::Short('y') | Arg::Long("yes") => given.yes = true,
            Arg::Long("json") => given.json = true,
            Arg::Long("names") => given.names = true,
            Arg::Long("port") => given.port = Some(port(&mut parser)?),
            Arg::Value(word) => given.words.push(word.to_string_lossy().into_owned()),
            Arg::Long(other) => {
                let name = format!("--{other}");
                return Err(Usage::unknown("option", &name, OPTIONS.into_iter()));
            }
            Arg::Short(other) => {
                let name = format!("-{other}");
                return Err(Usage::unknown("option", &name, OPTIONS.into_iter()));
            }
        }
    }
    given.command()
}

fn port(parser: &mut Parser) -> Result<u16, Usage> {
    let value = parser.value().map_err(|error| Usage(error.to_string()))?;
    let parsed = value.parse();
    parsed.map_err(|_| Usage("--port takes a number from 0 to 65535".to_owned()))
}

impl Given {
    fn command(self) -> Result<Command, Usage> {
        let consent = if self.yes { Consent::Given } else { Consent::Ask };
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let command = match words.as_slice() {
            [] => Command::Judge,
            ["hint"] => Command::Hint(None),
            ["hint", name] => Command::Hint(Some((*name).to_owned())),
            ["reveal", name] => Command::Reveal((*name).to_owned(), consent),
            ["reset", name] => Command::Reset((*name).to_owned(), consent),
            ["list"] => Command::List { json: self.json },
            ["play"] => Command::Scenes { names_alone: self.names },
            ["play", name] => Command::Play((*name).to_owned()),
            ["serve"] => Command::Serve(self.port.unwrap_or(0)),
            ["help"] => Command::Help,
            ["run-scene", name] => Command::RunScene((*name).to_owned()),
            ["check"] => Command::Check,
            ["describe"] => Command::Describe,
            ["soak", count] => Command::Soak(
                count.parse().map_err(|_| Usage(format!("soak takes a count, not `{count}`")))?,
            ),
            ["reveal" | "reset" | "run-scene" | "soak"] => {
                return Err(Usage(format!("{} takes a name; try `list`", words[0])));
            }
            [command, ..] if COMMANDS.contains(command) => {
                return Err(Usage(format!("too many words after `{command}`; try `help`")));
            }
            [other, ..] => return Err(Usage::unknown("command", other, COMMANDS.into_iter())),
        };
        self.check_options(&command)?;
        Ok(command)
    }

    /// An option that a command does not take is a slip, and not to be passed over.
    fn check_options(&self, command: &Command) -> Result<(), Usage> {
        let asks = matches!(command, Command::Reveal(..) | Command::Reset(..));
        let stray = [
            (self.yes && !asks, "--yes", "reveal and reset"),
            (self.json && !matches!(command, Command::List { .. }), "--json", "list"),
            (self.names && !matches!(command, Command::Scenes { .. }), "--names", "play"),
            (self.port.is_some() && !matches!(command, Command::Serve(_)), "--port", "serve"),
        ];
        match stray.iter().find(|(is_stray, ..)| *is_stray) {
            Some((_, option, commands)) => Err(Usage(format!("{option} belongs to {commands}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(Parser::from_args(line.split_whitespace())).map_err(|usage| usage.0)
    }

    #[test]
    fn nothing_means_judge_and_words_mean_their_command() {
        assert_eq!(parsed(""), Ok(Command::Judge));
        assert_eq!(parsed("hint pipe"), Ok(Command::Hint(Some("pipe".into()))));
        assert_eq!(parsed("serve --port 80"), Ok(Command::Serve(80)));
        assert_eq!(parsed("--yes reset 1.1"), Ok(Command::Reset("1.1".into(), Consent::Given)));
    }

    #[test]
    fn a_slip_is_told_and_not_passed_over() {
        assert!(parsed("hnit").unwrap_err().contains("did you mean `hint`?"));
        assert!(parsed("list --jsno").unwrap_err().contains("did you mean `--json`?"));
        assert!(parsed("serve --port 99999").unwrap_err().contains("0 to 65535"));
        assert!(parsed("list --yes").unwrap_err().contains("reveal and reset"));
        assert!(parsed("reveal").unwrap_err().contains("takes a name"));
    }
}
