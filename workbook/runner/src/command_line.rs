//! `cargo run -p stepNN… -- COMMAND`: does what the command says.

use std::process::ExitCode;

use lexopt::Parser;

use crate::arguments::{Command, parse};
use crate::terminal::Terminal;
use crate::usage::Usage;
use crate::{answers, commands, proof, soak};
use scene::Step;

const HELP: &str = "\
              judge your page: build it, play its scenes, and
              say what to do next
hint [NAME]   a hint, and with every call a plainer one
reveal NAME   the reference's answer to an exercise
reset NAME    put an exercise's starter back; yours is kept
list          the exercises, and how they stand
play [NAME]   the scenes; with a name, play that scene here
serve         the echo server on the loop so far
help          this text

--yes         do not ask (reveal, reset)
--json        for programs (list)
--port N      serve on that port, not on any free one
--version     the workbook's version

NAME is an exercise's name or number, or a scene's name.
A scene that takes longer than 5 s is stopped; for another
limit set WORKBOOK_PATIENCE, in seconds.
For maintainers: check, soak COUNT.
";

/// Runs a step's command line.
pub fn main(step: &Step) -> ExitCode {
    let result = parse(Parser::from_env())
        .map_err(anyhow::Error::from)
        .and_then(|command| run(step, command));
    result.unwrap_or_else(|error| complain(&error))
}

/// Tells what went wrong: 2 if it is the command line, 1 for all the rest.
pub fn complain(error: &anyhow::Error) -> ExitCode {
    use std::io::Write;
    let usage = error.is::<Usage>();
    // Nobody may be reading; that is no reason to panic.
    let _ = writeln!(std::io::stderr(), "error: {error:#}");
    ExitCode::from(if usage { 2 } else { 1 })
}

/// Tells that the command line makes no sense.
pub fn misused(why: &str) -> ExitCode {
    complain(&Usage(why.to_owned()).into())
}

fn run(step: &Step, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Judge => commands::judge(step),
        Command::Hint(name) => answers::hint(step, name.as_deref()),
        Command::Reveal(name, consent) => answers::reveal(step, &name, consent),
        Command::Reset(name, consent) => answers::reset(step, &name, consent),
        Command::List { json } => commands::list(step, json),
        Command::Scenes { names_alone } => Ok(commands::scenes(step, names_alone)),
        Command::Play(name) => commands::play(step, &name),
        Command::Serve(port) => commands::serve(step, port),
        Command::Describe => Ok(commands::describe(step)),
        Command::RunScene(name) => commands::scene(step, &name).map(scene::run_scene),
        Command::Check => proof::check(step),
        Command::Soak(count) => soak::soak(step, count),
        Command::Help => {
            let program = format!("cargo run -p {} -- COMMAND\n\n", step.package);
            Terminal::of_stdout().print(&(program + HELP));
            Ok(ExitCode::SUCCESS)
        }
        Command::Version => {
            let version = format!("{} {}\n", step.package, env!("CARGO_PKG_VERSION"));
            Terminal::of_stdout().print(&version);
            Ok(ExitCode::SUCCESS)
        }
    }
}
