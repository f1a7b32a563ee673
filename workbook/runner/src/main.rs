//! `cargo run` in the workbook's root: the map of the steps and the library, and the commands that
//! apply to all of them.

#![forbid(unsafe_code)]
// As in `lib.rs`, `write!` would return results that we'd have to ignore.
#![allow(clippy::format_push_string)]

mod map;
mod path;
mod support;

use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use anyhow::Context;
use judging::step::FROM_SCRATCH;
use judging::terminal::Terminal;
use judging::workbook::Workbook;
use runner::class;
use scene::root::cargo;

const HELP: &str = "\
cargo run                     show the map
cargo run -p step01_fd        begin, or go on with step 01
cargo run -p step01_fd -- watch
                              judge step 01 on every save
cargo run -p book -- serve    read the book
cargo run -- path             list the paths: how long each one takes,
                              and which one you're on
cargo run -- path afternoon   follow that path; the exercises that aren't
                              on it are given to you
cargo run -- skip-to 5.3      go on at that exercise; the earlier ones that
                              aren't green are given to you
cargo run -- from-scratch     a loop of your own in an empty file, in five
                              stages; watch, hint, reveal, reset, list and
                              play are its commands, too
cargo run -- use-mine         put your own layers under the later steps:
                              all complete layers, or those that you name
cargo run -- use-reference    go back to the reference's layers
cargo run -- run-mine serve_files -- DIR
                              run a program of the workbook on your layers: also
                              broken_servers, asyncio --example chat,
                              ecosystem --example news, and
                              python -- PROGRAM.py, which runs your Python
                              program on your loop
cargo run -- join ADDRESS CODE NAME
                              join a class: your teacher sees how far you are,
                              and you see each report; leave takes you out
cargo run -- raise-hand       tell your teacher that you'd like help;
                              lower-hand withdraws the request
cargo run -- report           what to attach to a question: your machine,
                              your notebook's state, the last verdict
cargo run -- list --json      your progress, for other programs; see
                              workbook/EVENTS.md
";

fn main() -> ExitCode {
    kit::start_as_a_parent();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [] => workbook().and_then(map::map),
        ["list", "--json"] => workbook().and_then(map::list),
        ["report"] => workbook().and_then(support::report),
        ["path", words @ ..] => workbook().and_then(|it| path::path(it, words)),
        ["skip-to", exercise] => workbook().and_then(|it| path::skip_to(it, exercise)),
        ["use-mine", layers @ ..] => workbook().and_then(|it| runner::use_mine(it, layers)),
        ["use-reference", layers @ ..] => {
            workbook().and_then(|it| runner::use_reference(it, layers))
        }
        ["run-mine", words @ ..] => workbook().and_then(|it| runner::run_mine(it, words)),
        ["from-scratch", words @ ..] => workbook().and_then(|it| from_scratch(&it, words)),
        [command @ ("join" | "leave" | "raise-hand" | "lower-hand"), words @ ..] => {
            workbook().and_then(|it| class::carry_out(it, command, words))
        }
        ["skip-to", ..] => {
            return runner::misused("skip-to takes one exercise, as in: cargo run -- skip-to 5.3");
        }
        [command @ ("report" | "help"), ..] if words.len() > 1 => {
            return runner::misused(&format!("{command} takes no arguments"));
        }
        ["help" | "--help" | "-h"] => {
            Terminal::of_stdout().print(HELP);
            Ok(ExitCode::SUCCESS)
        }
        ["--version" | "-V"] => {
            Terminal::of_stdout().print(concat!("workbook ", env!("CARGO_PKG_VERSION"), "\n"));
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            let typed = workbook().ok().and_then(|it| map::typed_for_a_step(it, &words));
            if let Some(typed) = typed {
                return runner::misused(&format!(
                    "`{}` is a step's command: {typed}",
                    words.join(" ")
                ));
            }
            let known = "The commands are path, skip-to, from-scratch, use-mine, use-reference, \
                         run-mine, join, leave, raise-hand, lower-hand, report and help. Without a \
                         command, `cargo run` shows the map.";
            return runner::misused(&format!("there's no command `{}`.\n{known}", words.join(" ")));
        }
    };
    result.unwrap_or_else(|error| runner::report_error(&error))
}

/// Replaces this process with the program that judges a loop from scratch. Returns only on failure.
fn from_scratch(workbook: &Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let mut command = cargo();
    command.current_dir(&workbook.root).args(["run", "--quiet", "--package", FROM_SCRATCH, "--"]);
    Err(command.args(words).exec()).context("start cargo")
}

fn workbook() -> anyhow::Result<Workbook> {
    Workbook::of(env!("CARGO_MANIFEST_DIR"))
}
