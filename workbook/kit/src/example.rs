//! The programs in `examples/` of the steps, for their tests.

use std::env;
use std::process::Command;

/// The workbook's root, two directories above this package.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns a command that runs `examples/NAME.rs` of a step. The process is the program itself,
/// because cargo builds it and then becomes it.
///
/// A page of the notebook has no examples, so its tests run the step's.
pub fn example(package: &str, name: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(ROOT).args([
        "run",
        "--quiet",
        "--package",
        package,
        "--example",
        name,
        "--",
    ]);
    command
}
