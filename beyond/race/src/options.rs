//! The command line of a benchmark that has no criterion.

use lexopt::{Arg, Error, Parser};

/// How a benchmark is to be run.
#[derive(Debug, Default)]
pub struct BenchmarkOptions {
    /// A short run is enough, which shows only that everything works.
    pub quick: bool,
    /// The only part that's wanted.
    pub only: Option<String>,
}

impl BenchmarkOptions {
    /// Parses the command line, or returns `None` if this is `cargo test` and no measurement.
    pub fn of_a_measurement() -> Result<Option<Self>, Error> {
        // cargo bench passes this one to whatever it starts.
        if !std::env::args().any(|argument| argument == "--bench") {
            return Ok(None);
        }
        let mut options = BenchmarkOptions::default();
        let mut arguments = Parser::from_env();
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("bench") => {}
                Arg::Long("quick") => options.quick = true,
                Arg::Value(part) if options.only.is_none() => {
                    options.only = Some(part.to_string_lossy().into_owned());
                }
                other => return Err(other.unexpected()),
            }
        }
        Ok(Some(options))
    }

    /// Returns the number of rounds in which the contestants take turns.
    pub fn rounds(&self) -> usize {
        if self.quick { 3 } else { 11 }
    }
}
