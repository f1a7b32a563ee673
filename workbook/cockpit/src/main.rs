//! The cockpit as a separate program: `cargo run -p book -- serve --mine` starts this program on
//! the reader's layers.

#![forbid(unsafe_code)]

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use cockpit::{
    Bound, CockpitOptions, IDLE, PORT, TIME_LIMIT, TOKEN, hold_idle_connections, new_token,
};
use lexopt::{Arg, Parser, ValueExt};

const HELP: &str = "\
Serves the built book on 127.0.0.1 and runs the commands that its pages ask for.

    cockpit ROOT PAGES [--port N] [--public-origin ORIGIN] [--editor LINK-OR-COMMAND]
                       [--time-limit SECONDS]

ROOT is the workbook's directory; PAGES is the built book's directory.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.as_slice() {
        [first, rest @ ..] if first == IDLE => hold_idle_connections(rest).map_err(Into::into),
        _ => serve(Parser::from_env()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(mut arguments: Parser) -> Result<()> {
    let (mut port, mut public_origin, mut editor) = (PORT, None, None);
    let mut time_limit = TIME_LIMIT;
    let mut directories = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(write!(stdout(), "{HELP}")?),
            Arg::Long("port") => port = arguments.value()?.parse()?,
            Arg::Long("public-origin") => public_origin = Some(arguments.value()?.parse()?),
            Arg::Long("editor") => editor = Some(arguments.value()?.parse()?),
            Arg::Long("time-limit") => {
                time_limit = Duration::from_secs(arguments.value()?.parse()?);
            }
            Arg::Value(directory) => directories.push(directory),
            other => return Err(other.unexpected().into()),
        }
    }
    let named = <[_; 2]>::try_from(directories).ok();
    let [root, pages] = named.context("give two directories, ROOT and PAGES: see --help")?;
    let token = std::env::var(TOKEN).or_else(|_| new_token())?;
    let (root, pages) = (root.into(), pages.into());
    let options = CockpitOptions {
        root,
        pages,
        port,
        token,
        public_origin,
        editor,
        time_limit,
        notice: None,
    };
    let bound = Bound::bind(options)?;
    writeln!(stdout(), "listening on http://{}/, open {}", bound.local_addr(), bound.url())?;
    bound.run()
}
