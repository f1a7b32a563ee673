//! Test programs without Rust's harness: those whose tests are known only at run time, and those
//! whose tests count the memory, threads and descriptors of the whole process.
//!
//! They understand the harness's most common arguments: parts of test names, `--exact`, `--skip`,
//! `--list` and `--test-threads`. They ignore its other options.

use std::any::Any;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use lexopt::{Arg, Parser, ValueExt};

/// A test, which fails if its function panics.
pub struct Test {
    name: String,
    run: Box<dyn FnOnce() + Send>,
}

impl Test {
    /// Creates a test that runs a function.
    pub fn new(name: impl Into<String>, run: impl FnOnce() + Send + 'static) -> Self {
        Test { name: name.into(), run: Box::new(run) }
    }
}

/// The command line's arguments: which tests to run, and how.
#[derive(Debug, Default)]
struct Options {
    wanted: Vec<String>,
    skipped: Vec<String>,
    is_exact: bool,
    only_lists: bool,
    threads: Option<usize>,
}

impl Options {
    fn read(mut arguments: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Value(name) => options.wanted.push(name.string()?),
                Arg::Long("skip") => options.skipped.push(arguments.value()?.string()?),
                Arg::Long("test-threads") => options.threads = Some(arguments.value()?.parse()?),
                Arg::Long("exact") => options.is_exact = true,
                Arg::Long("list") => options.only_lists = true,
                Arg::Long("color" | "format") => drop(arguments.value()?),
                // Other options change what Rust's harness prints, such as `--nocapture`.
                Arg::Long(_) | Arg::Short(_) => {}
            }
        }
        Ok(options)
    }

    fn take(&self, name: &str) -> bool {
        let is_one_of = |those: &[String]| {
            those.iter().any(|it| if self.is_exact { name == it } else { name.contains(it) })
        };
        (self.wanted.is_empty() || is_one_of(&self.wanted)) && !is_one_of(&self.skipped)
    }
}

/// Runs the tests that the command line asks for. If `one_by_one` is true, the tests run one after
/// another in the calling thread. Otherwise, they run on `--test-threads` threads or, by default,
/// on as many threads as can run in parallel.
pub fn run(mut tests: Vec<Test>, one_by_one: bool) -> ExitCode {
    let options = match Options::read(Parser::from_env()) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    tests.retain(|test| options.take(&test.name));
    if options.only_lists {
        for test in tests {
            println!("{}: test", test.name);
        }
        return ExitCode::SUCCESS;
    }
    let count = tests.len();
    println!("\nrunning {count} tests");
    let failed = Mutex::new(Vec::new());
    let threads = if one_by_one { Some(1) } else { options.threads };
    let threads = threads.or_else(|| thread::available_parallelism().ok().map(NonZero::get));
    let left = Mutex::new(tests.into_iter());
    let work = || {
        let next = || left.lock().expect("a list of tests").next();
        while let Some(test) = next() {
            let outcome = catch_unwind(AssertUnwindSafe(test.run));
            let word = if outcome.is_ok() { "ok" } else { "FAILED" };
            println!("test {} ... {word}", test.name);
            if let Err(payload) = outcome {
                let message = message_of(&*payload).to_owned();
                failed.lock().expect("a list of failures").push((test.name, message));
            }
        }
    };
    match threads {
        None | Some(0 | 1) => work(),
        Some(threads) => thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        }),
    }
    let failed = failed.into_inner().expect("a list of failures");
    for (name, message) in &failed {
        println!("\n---- {name} ----\n{message}");
    }
    let (outcome, code) =
        if failed.is_empty() { ("ok", ExitCode::SUCCESS) } else { ("FAILED", ExitCode::FAILURE) };
    let passed = count - failed.len();
    println!("\ntest result: {outcome}. {passed} passed; {} failed", failed.len());
    code
}

fn message_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Defines the `main` of a test without a harness. The tests run one after another in the program's
/// only thread, so each test may count the memory, threads and descriptors of the process.
#[macro_export]
macro_rules! one_by_one {
    ($($test:path),* $(,)?) => {
        fn main() -> std::process::ExitCode {
            let tests = vec![$($crate::unharnessed::Test::new(stringify!($test), $test)),*];
            $crate::unharnessed::run(tests, true)
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(arguments: &[&str], name: &str) -> bool {
        Options::read(Parser::from_args(arguments)).expect("options").take(name)
    }

    #[test]
    fn a_name_is_taken_by_a_part_and_skipped_by_a_part() {
        assert!(takes(&["--nocapture", "-q"], "two_pipes"));
        assert!(takes(&["--color", "never", "three", "pipes"], "two_pipes"));
        assert!(!takes(&["three"], "two_pipes"));
        assert!(!takes(&["pipes", "--skip=two"], "two_pipes"));
        assert!(!takes(&["--exact", "pipes"], "two_pipes"));
        assert!(takes(&["--exact", "two_pipes"], "two_pipes"));
    }
}
