//! `cargo run -p broken_servers -- NAME [--ticks]`: plays the story of a broken server.

#![forbid(unsafe_code)]

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use broken_servers::{BrokenServer, SERVERS, Traced, find, play};
use lexopt::{Arg, ValueExt};

const HELP: &str = "\
Six servers, each with one fault. Which one is it, and where?

    cargo run -p broken_servers -- NAME            what its clients see
    cargo run -p broken_servers -- NAME --ticks    what its loop does meanwhile
    WORKBOOK_TRACE=FILE cargo run -p broken_servers -- NAME    the same, as lines of JSON

A server's number will do for its NAME. The source is in beyond/broken_servers/src/servers/NAME.rs.

";

enum Command {
    Play { server: &'static BrokenServer, traced: Traced },
    Help,
}

fn main() -> ExitCode {
    match parse(lexopt::Parser::from_env()) {
        Ok(Command::Help) => ended(print(&format!("{HELP}{}", list()))),
        Ok(Command::Play { server, traced }) => ended(show(server, traced)),
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}{}", list());
            ExitCode::from(2)
        }
    }
}

fn ended(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut server = None;
    let mut traced = Traced::No;
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("ticks") => traced = Traced::Ticks,
            Arg::Value(name) if server.is_none() => {
                let name = name.string()?;
                let found = find(&name).ok_or_else(|| format!("there's no server `{name}`"))?;
                server = Some(found);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(server.map_or(Command::Help, |server| Command::Play { server, traced }))
}

fn list() -> String {
    let lines = SERVERS.iter().enumerate().map(|(index, server)| {
        let BrokenServer { name, about, .. } = server;
        format!("    {}  {name:<10} {about}\n", index + 1)
    });
    lines.collect()
}

fn show(server: &BrokenServer, traced: Traced) -> Result<()> {
    let played = play(server.serve, (server.story)(), traced)?;
    match traced {
        Traced::No => print(&played.to_string()),
        Traced::Ticks => print(&played.ticks()),
    }
}

/// Writes to standard output. A reader such as `| head` may close the output early, which isn't an
/// error.
fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("write to the standard output"),
    }
}
