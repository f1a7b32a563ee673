//! `cargo run` in the workbook's root: the map of the seven steps, and the checks for authors.

#![forbid(unsafe_code)]

use std::panic;
use std::process::{ExitCode, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context;
use runner::terminal::Terminal;
use runner::workbook::Workbook;
use scene::root::cargo;

const HELP: &str = "\
cargo run                     this map
cargo run -p step01_fd        begin, or go on with step 01
cargo run -p step01_fd -- watch
                              judge step 01 on every save
cargo run -p book -- serve    read the book
cargo run -- use-mine         put your own layers under the later steps:
                              the complete ones, or those that you name
cargo run -- use-reference    put the reference's there again
cargo run -- grade DIR...     judge other people's notebooks, under limits
                              (--json, --seed N, --at-once N)

For authors:
cargo run -- check            prove every exercise of every step
cargo run -- check-reuse      prove that later steps run what a reader writes
cargo run -- stress [COUNT]   run every scene COUNT times, under load
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [] => workbook().and_then(runner::map),
        ["use-mine", layers @ ..] => workbook().and_then(|it| runner::use_mine(it, layers)),
        ["use-reference", layers @ ..] => {
            workbook().and_then(|it| runner::use_reference(it, layers))
        }
        ["grade", words @ ..] => workbook().and_then(|it| runner::grade(&it, words)),
        ["check"] => each_step(&["check"], 2),
        ["check-reuse"] => workbook().and_then(|workbook| runner::check_reuse(&workbook)),
        ["stress"] => each_step(&["stress"], 1),
        ["stress", count] => each_step(&["stress", count], 1),
        ["help" | "--help" | "-h"] => {
            Terminal::of_stdout().print(HELP);
            Ok(ExitCode::SUCCESS)
        }
        ["--version" | "-V"] => {
            Terminal::of_stdout().print(concat!("workbook ", env!("CARGO_PKG_VERSION"), "\n"));
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            let typed = workbook().ok().and_then(|it| runner::typed_for_a_step(it, &words));
            if let Some(typed) = typed {
                return runner::misused(&format!(
                    "`{}` is a step's command: {typed}",
                    words.join(" ")
                ));
            }
            let known = "Known: use-mine, use-reference, grade DIR, check, check-reuse, \
                         stress [COUNT], help; without any of them, the map";
            return runner::misused(&format!("there's no command `{}`.\n{known}", words.join(" ")));
        }
    };
    result.unwrap_or_else(|error| runner::report_error(&error))
}

/// Runs a command of every step's own program, the last step's first: it has the most exercises, and
/// would run alone at the end.
fn each_step(words: &[&str], at_once: usize) -> anyhow::Result<ExitCode> {
    let workbook = workbook()?;
    let steps = Mutex::new(workbook.steps()?.into_iter().rev());
    let failed = Mutex::new(Vec::new());
    let run_steps = || -> anyhow::Result<()> {
        loop {
            let Some(step) = lock(&steps).next() else { return Ok(()) };
            let ran = cargo()
                .current_dir(&workbook.root)
                .args(["run", "--quiet", "-p", &step, "--"])
                .args(words)
                .stdin(Stdio::null())
                .stderr(Stdio::inherit())
                .output()
                .with_context(|| format!("run {step}"))?;
            let output = String::from_utf8_lossy(&ran.stdout);
            Terminal::of_stdout().print(&format!("{step}\n{output}"));
            if !ran.status.success() {
                lock(&failed).push(step);
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(run_steps)).collect();
        let mut results = workers.into_iter().map(thread::ScopedJoinHandle::join);
        results.try_for_each(|result| result.unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })?;
    let failed = lock(&failed);
    let verdict = match failed.as_slice() {
        [] => "every step passed\n".to_owned(),
        failed => format!("{} failed: {}\n", failed.len(), failed.join(", ")),
    };
    Terminal::of_stdout().print(&verdict);
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn workbook() -> anyhow::Result<Workbook> {
    Workbook::of(env!("CARGO_MANIFEST_DIR"))
}
