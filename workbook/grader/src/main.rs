//! `cargo run -p grader -- DIR…`: judges other people's notebooks.

#![forbid(unsafe_code)]

use std::env;
use std::process::ExitCode;

use grader::{COMPILE, ENTER, GRADE, INSIDE};
use grader::{compile_inside, enter_cgroup, grade, grade_page, run_inside, same_words};
use judging::terminal::Terminal;
use judging::workbook::Workbook;

const HELP: &str = "\
cargo run -p grader -- DIR...  judge other people's notebooks, in a
                               sandbox

--json               for programs
--seed N             try the same programs as a run with that seed
--at-once N          judge up to N notebooks simultaneously
--without-a-sandbox  let their pages do anything that you can do
";

fn main() -> ExitCode {
    kit::start_as_a_parent();
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match *words {
        // The commands that this program starts in the sandbox, where there's no workbook.
        [INSIDE] => run_inside(),
        [COMPILE, ref words @ ..] => compile_inside(words),
        [ENTER, ref words @ ..] => enter_cgroup(words),
        _ => Workbook::of(env!("CARGO_MANIFEST_DIR")).and_then(|it| run(&it, &words)),
    };
    result.unwrap_or_else(|error| runner::report_error(&error))
}

fn run(workbook: &Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    match *words {
        ["help" | "--help" | "-h"] => {
            Terminal::of_stdout().print(HELP);
            Ok(ExitCode::SUCCESS)
        }
        // The command that this program starts for each page.
        [GRADE, package, program, notebook] => {
            grade_page(workbook, package, program.as_ref(), notebook.as_ref())
        }
        // For the workbook's authors: does a sandbox change a reader's verdict?
        ["same-words", package] => same_words(workbook, package),
        _ => grade(workbook, words),
    }
}
