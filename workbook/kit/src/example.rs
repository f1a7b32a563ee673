//! The programs in `examples/` of the steps, for their tests.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::time_limit::counts_from;

/// The workbook's root, two directories above this package.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The programs that this process has built, by package and name. Tests run side by side, and each
/// program is built once.
static BUILT: Mutex<BTreeMap<(String, String), PathBuf>> = Mutex::new(BTreeMap::new());

/// Returns a command that runs `examples/NAME.rs` of a step, as it's written now, in the root.
///
/// A page of the notebook has no examples, so its tests run the step's.
#[track_caller]
pub fn example(package: &str, name: &str) -> Command {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let program =
        built.entry((package.to_owned(), name.to_owned())).or_insert_with(|| build(package, name));
    let mut command = Command::new(program);
    command.current_dir(ROOT);
    command
}

/// Builds an example with the features that the whole workspace needs of its dependencies. With those
/// that the step alone needs, cargo would compile most of them once more.
#[track_caller]
fn build(package: &str, name: &str) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(ROOT).args(["build", "--workspace", "--example", name]);
    counts_from(Instant::now() + Duration::from_mins(10));
    let built = cargo.args(["--message-format", "json"]).output();
    counts_from(Instant::now());
    let built = built.unwrap_or_else(|error| panic!("run cargo: {error}"));
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8_lossy(&built.stdout);
    let program = messages.lines().find_map(|message| {
        let (_, program) = message.split_once("\"executable\":\"")?;
        message.contains(&format!("/{package}#")).then(|| program.split('"').next())?
    });
    PathBuf::from(program.unwrap_or_else(|| panic!("{package} has no example `{name}`")))
}
