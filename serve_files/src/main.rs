//! `cargo run -p serve_files -- DIR [--port N]`: serves a directory on 127.0.0.1.

#![forbid(unsafe_code)]

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
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the command line. Returns `None` if it asks for help.
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
    let server = FileServer::bind(directory, (Ipv4Addr::LOCALHOST, *port))
        .with_context(|| format!("can't serve {} on port {port}", directory.display()))?;
    let address = server.local_addr()?;
    println!("{} is at http://{address}/  (Ctrl-C ends it)", directory.display());
    Ok(server.run()?)
}
