//! Finds the workbook's root, the package that was started, and cargo.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Finds the workbook's root, which is the nearest directory above `from` that contains the runner.
///
/// Fails if `from` isn't inside a copy of the workbook.
pub fn find_root(from: &Path) -> anyhow::Result<PathBuf> {
    let is_root = |dir: &&Path| dir.join("workbook/runner/Cargo.toml").exists();
    let root = from.ancestors().skip(1).find(is_root);
    root.map(Path::to_owned)
        .with_context(|| format!("{} isn't in a copy of the workbook", from.display()))
}

/// Returns the directory of the package that is running, given its `env!("CARGO_MANIFEST_DIR")`.
///
/// The directory may have moved since the program was built. `cargo run` passes the current path to
/// its program in the environment variable of the same name. An inherited variable can belong to a
/// different package, so the variable is ignored if its directory has a different name.
pub fn package_dir(built_in: &str) -> PathBuf {
    let built_in = PathBuf::from(built_in);
    let now = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    now.filter(|now| now.file_name() == built_in.file_name()).unwrap_or(built_in)
}

/// Returns a command that runs cargo: the cargo that started us, or otherwise the cargo in `PATH`.
pub fn cargo() -> std::process::Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = std::process::Command::new(program);
    // The `cargo run` that started us has set this variable, perhaps for a different package.
    cargo.env_remove("CARGO_MANIFEST_DIR");
    cargo
}
