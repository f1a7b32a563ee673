//! `cargo run -p stepNN… -- COMMAND`: carries out a command.

use std::process::ExitCode;

use lexopt::Parser;

use crate::arguments::{Arguments, Form, Usage, VERSION, parse};
use crate::watch::watch;
use crate::whose::Whose;
use crate::{answers, commands, events, predict};
use judging::machine::NotJudged;
use judging::step::{Declared, FROM_SCRATCH};
use judging::terminal::Terminal;

/// Carries out a step's command line.
pub fn main(declared: &Declared) -> ExitCode {
    let result = scene::run_in_this_process(&declared.page()).unwrap_or_else(|| {
        kit::start_as_a_parent();
        let parsed = parse(Parser::from_env()).map_err(anyhow::Error::from);
        parsed.and_then(|arguments| run(declared, &arguments))
    });
    result.unwrap_or_else(|error| report_error(&error))
}

/// The exit code if a page can't be judged on this machine.
const NOT_JUDGED: u8 = 3;

/// Reports an error on standard error and, with `--json`, as an event for another program. The exit
/// code is 2 for a mistake on the command line, 3 if the machine kept us from judging, and 1 for
/// any other error.
pub fn report_error(error: &anyhow::Error) -> ExitCode {
    use std::io::Write;
    let not_judged = error.downcast_ref::<NotJudged>().map(NotJudged::explanation);
    let text = match &not_judged {
        Some(words) => Terminal::of_stdout().wrap("", words),
        None => format!("error: {error:#}\n"),
    };
    // After a mistake on the command line, we don't have the parsed options, so look for `--json`
    // in the raw arguments.
    if std::env::args().any(|word| word == "--json") {
        match &not_judged {
            Some(words) => events::not_judged(words),
            None => events::failed(&format!("{error:#}")),
        }
    }
    // If standard error is closed, there's no way left to report that.
    let _ = std::io::stderr().write_all(text.as_bytes());
    ExitCode::from(match error {
        error if error.is::<Usage>() => 2,
        error if error.is::<NotJudged>() => NOT_JUDGED,
        _ => 1,
    })
}

/// Reports a mistake on the command line.
pub fn misused(why: &str) -> ExitCode {
    report_error(&Usage(why.to_owned()).into())
}

fn run(declared: &Declared, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { form, consent, port, .. } = *arguments;
    let whose = arguments.whose.unwrap_or(Whose::Complete);
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let step = || declared.step();
    match *words {
        [] => commands::judge_page(&step()?, form),
        ["watch"] => watch(&step()?, form),
        ["hint"] => answers::hint(&step()?, None, form),
        ["hint", name] => answers::hint(&step()?, Some(name), form),
        ["reveal", name] if arguments.into_my_page => answers::give(&step()?, name, consent, form),
        ["reveal", name] => answers::reveal(&step()?, name, consent, form),
        ["reset", name] => answers::reset(&step()?, name, consent, form),
        ["list"] => commands::list(&step()?, form),
        ["play"] => Ok(commands::scenes(&step()?)),
        ["play", name] => commands::play(&step()?, name, whose, form),
        ["predict", ..] if declared.package == FROM_SCRATCH => {
            let why = "your loop's scenes are judged, not predicted";
            Err(Usage(format!("{why}: cargo run -- from-scratch play lists the scenes")).into())
        }
        ["predict"] => predict::list(&step()?, form),
        ["predict", name] if form == Form::Json => predict::take(&step()?, name),
        ["predict", name] => predict::predict(&step()?, name),
        ["serve"] => commands::serve(declared, port.unwrap_or(0), whose),
        // Only for `watch`, which needs to know whether there's a verdict, whatever it is.
        ["judge-for-watch"] => commands::judge_now(&step()?, form).map(|_| ExitCode::SUCCESS),
        // For the programs of authors and teachers.
        ["describe"] => {
            commands::describe(declared);
            Ok(ExitCode::SUCCESS)
        }
        [VERSION] => {
            let version = format!("{} {}\n", declared.package, env!("CARGO_PKG_VERSION"));
            Terminal::of_stdout().print(&version);
            Ok(ExitCode::SUCCESS)
        }
        // The command is `help`, since the parser has rejected all other commands.
        _ => {
            Terminal::of_stdout().print(&help(declared.package, declared.serve.is_some()));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns the text of `help`. It leaves out what the program lacks: step 01 and the library have
/// no server, and a loop from scratch has neither a server nor predictions.
fn help(package: &str, has_server: bool) -> String {
    let (or_serve, serve, port) = if has_server { (", serve", SERVE, PORT) } else { ("", "", "") };
    let (answers, predict, exercise) = if package == FROM_SCRATCH {
        (ANSWERS_FROM_SCRATCH, "", "a stage")
    } else {
        (ANSWERS, PREDICT, "an exercise")
    };
    format!(
        "\
cargo run -p {package} -- COMMAND

(nothing)     judge your page: build it, run its scenes, and
              say what to do next
watch         judge your page whenever you save it
hint [NAME]   a hint; ask again for a plainer one
{answers}list          the exercises and their states
play [NAME]   list the scenes; with a name, play that scene
{predict}{serve}help          this text

--mine        run your page, even if it isn't complete
              (play NAME{or_serve})
--reference   run the reference (play NAME{or_serve})
--yes         don't ask (reveal, reset)
--json        for other programs; workbook/EVENTS.md describes the format
--problems    for editors: a line for each problem, such as
              FILE:LINE:COLUMN: error: … (watch, judging)
{port}--version     the workbook's version

Without --mine and --reference, your page runs once it's
complete and the reference until then. You're told whose
code runs.

NAME is {exercise}'s name or number, or a scene's name.
A scene or trial that takes longer than 5 s, or more on a
busy machine, is stopped; to change that limit, set
WORKBOOK_PATIENCE to a number of seconds.
"
    )
}

const ANSWERS: &str = "\
reveal NAME   the solution of an exercise; --into-my-page
              writes it into your page, as a given exercise
reset NAME    put the starter's body back; yours is saved
";

const ANSWERS_FROM_SCRATCH: &str = "\
reveal NAME   our loop, with all its stages
reset NAME    start over with the empty file; yours is saved
";

const PREDICT: &str = "\
predict [NAME]
              list the predictions that your path asks for; with
              the name of any scene, predict the scene's lines
";

const SERVE: &str = "serve         the echo server on the loop so far\n";

const PORT: &str = "--port N      serve on port N instead of any free port\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::COMMANDS;

    #[test]
    fn the_help_lists_what_the_program_has_and_nothing_else() {
        for (package, has_server, lacks) in [
            ("step02_epoll", true, &[][..]),
            ("step01_fd", false, &["serve", "--port"]),
            (FROM_SCRATCH, false, &["serve", "--port", "predict", "--into-my-page"]),
        ] {
            let help = help(package, has_server);
            for word in COMMANDS.iter().chain(&["--port", "--into-my-page"]) {
                assert_eq!(help.contains(word), !lacks.contains(word), "{package}, {word}: {help}");
            }
        }
    }
}
