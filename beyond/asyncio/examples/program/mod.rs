//! The beginning and the end of each program: its options, its output, and its exit status.
//!
//! | exit status | when |
//! | --- | --- |
//! | 0 | it has done its work, or has shown its help |
//! | 1 | something failed, and a line on standard error says what |
//! | 2 | an option was wrong |
//! | 130 | Ctrl-C has ended it: 128, and the number of SIGINT |
//! | 141 | the program that reads its output has gone away: 128, and the number of SIGPIPE |

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::{ExitCode, exit};

use asyncio::{Error, ExceptionGroup, LoopError, Result, StreamReader, run};
use lexopt::Parser;

/// Shows the help, if an option asks for it. Otherwise reads the options and runs `program` with
/// them on a loop.
pub(crate) fn start<O, C: Future<Output = Result<()>> + 'static>(
    help: &str,
    read_options: impl Fn(Parser) -> std::result::Result<O, lexopt::Error>,
    program: impl FnOnce(O) -> C,
) -> ExitCode {
    if std::env::args_os().skip(1).any(|argument| argument == "--help" || argument == "-h") {
        print(format_args!("{help}"));
        return ExitCode::SUCCESS;
    }
    let options = match read_options(Parser::from_env()) {
        Ok(options) => options,
        Err(error) => {
            complain(format_args!("{error} (--help lists the options)"));
            return ExitCode::from(2);
        }
    };
    match run(program(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(LoopError::Interrupted) => ExitCode::from(130),
        Err(error) => {
            match group_of(&error) {
                // Most often they have the same reason.
                Some([first, others @ ..]) if !others.is_empty() => {
                    complain(format_args!("{first} (and {} more errors)", others.len()));
                }
                Some([only]) => complain(format_args!("{only}")),
                _ => complain(format_args!("{error}")),
            }
            ExitCode::FAILURE
        }
    }
}

/// Returns the errors of a task group, if the error comes from one.
fn group_of(error: &LoopError) -> Option<&[Error]> {
    let LoopError::Task(error) = error else { return None };
    ExceptionGroup::of(error).map(ExceptionGroup::exceptions)
}

/// Prints a line.
macro_rules! say {
    ($($text:tt)*) => { $crate::program::print(format_args!("{}\n", format_args!($($text)*))) };
}
pub(crate) use say;

/// Prints at once, even if it isn't a whole line. If nothing reads the output any more, the program
/// ends as if SIGPIPE had ended it. Rust ignores that signal, and `println!` would panic.
pub(crate) fn print(text: fmt::Arguments<'_>) {
    let mut output = io::stdout().lock();
    if let Err(error) = output.write_fmt(text).and_then(|()| output.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            exit(141);
        }
        complain(format_args!("write to the standard output: {error}"));
        exit(1);
    }
}

/// Returns a line as text, without its end.
#[allow(dead_code, reason = "not every program reads lines")]
pub(crate) fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().to_owned()
}

/// Returns a client's next line as text, or `None` when the client has left. A connection that's
/// lost, and a line that's longer than the reader's limit, count as leaving.
#[allow(dead_code, reason = "not every program has clients with lines")]
pub(crate) async fn next_line(reader: &mut StreamReader) -> Result<Option<String>> {
    match reader.next_line().await {
        Err(error) if error.is_cancelled() => Err(error),
        line => Ok(line.ok().flatten().map(|line| text(&line))),
    }
}

fn complain(text: fmt::Arguments<'_>) {
    // If nothing reads standard error, there's nothing left to tell.
    let _ = writeln!(io::stderr(), "error: {text}");
}
