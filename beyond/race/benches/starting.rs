//! How a benchmark without criterion starts: `cargo bench` measures, and `cargo test` only tries
//! whether everything runs.

use std::process::ExitCode;

use anyhow::Result;
use libtest_mimic::{Arguments, Trial};
use race::BenchmarkOptions;

/// How many trials run at a time: most of them wait, for a timer or for another process.
const AT_A_TIME: usize = 8;

/// Does what the command line asks for.
pub(crate) fn start(
    measure: fn(&BenchmarkOptions) -> Result<()>,
    trials: fn() -> Vec<Trial>,
) -> ExitCode {
    match BenchmarkOptions::of_a_measurement() {
        Ok(Some(options)) => match measure(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => {
            let mut arguments = Arguments::from_args();
            arguments.test_threads.get_or_insert(AT_A_TIME);
            libtest_mimic::run(&arguments, trials()).exit_code()
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Makes a test of a function that can fail.
pub(crate) fn trial(name: &str, run: impl FnOnce() -> Result<()> + Send + 'static) -> Trial {
    Trial::test(name, || run().map_err(|error| format!("{error:#}").into()))
}
