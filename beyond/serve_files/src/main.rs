//! `cargo run -p serve_files -- DIR [--port N]`: serves a directory on 127.0.0.1.

#![forbid(unsafe_code)]

use std::io::{self, ErrorKind, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use lexopt::{Arg, ValueExt};
use serve_files::FileServer;

const HELP: &str = "\
Serves the files of a directory on 127.0.0.1, until Ctrl-C.

    cargo run -p serve_files -- DIR [--port N]

Without --port, the kernel chooses a free port.
";

struct Options {
    directory: PathBuf,
    port: u16,
}

fn main() -> ExitCode {
    let options = match parse(lexopt::Parser::from_env()) {
        Ok(Some(options)) => options,
        Ok(None) => return ended(print(HELP)),
        Err(error) => {
            complain(&format!("{error}\n\n{HELP}"));
            return ExitCode::from(2);
        }
    };
    ended(serve(&options))
}

fn ended(outcome: Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    complain(&format!("{error:#}\n"));
    ExitCode::FAILURE
}

/// Parses the command line. Returns `None` if the user asks for help.
fn parse(mut arguments: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    let mut directory = None;
    let mut port = 0;
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long("port") => port = arguments.value()?.parse()?,
            Arg::Value(path) if directory.is_none() => directory = Some(path.into()),
            other => return Err(other.unexpected()),
        }
    }
    let directory = directory.ok_or("which directory?")?;
    Ok(Some(Options { directory, port }))
}

fn serve(Options { directory, port }: &Options) -> Result<()> {
    let server =
        FileServer::bind(directory, (Ipv4Addr::LOCALHOST, *port)).with_context(|| match port {
            0 => format!("can't serve {}", directory.display()),
            port => format!("can't serve {} on port {port}", directory.display()),
        })?;
    let address = server.local_addr()?;
    print(&format!("{} is at http://{address}/  (Ctrl-C ends it)\n", directory.display()))?;
    Ok(server.run()?)
}

/// Writes to standard output. A reader such as `head` may already have closed its end of the pipe,
/// which isn't an error.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("write to the standard output"),
    }
}

fn complain(text: &str) {
    // If standard error is closed, we can't report anything.
    let _ = write!(io::stderr(), "error: {text}");
}
