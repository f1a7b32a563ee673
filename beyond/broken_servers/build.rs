//! Makes the repaired servers that the tests play. Each is a broken server with a patch from
//! `tests/fixed/`, `tests/right_mends/` or `tests/wrong_mends/`.
//!
//! Writes a module for each of these directories: `fixed.rs` and so on.

mod patched;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use patched::patched;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src/servers");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    for directory in ["fixed", "right_mends", "wrong_mends"] {
        let patches = Path::new("tests").join(directory);
        println!("cargo::rerun-if-changed={}", patches.display());
        fs::create_dir_all(out.join(directory))?;
        let mut modules = String::new();
        for entry in fs::read_dir(&patches)? {
            let patch = entry?.path();
            let name = patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let server = name.split('_').next().unwrap_or_default();
            let broken = Path::new("src/servers").join(server).with_extension("rs");
            let mended = patched(&fs::read_to_string(&broken)?, &fs::read_to_string(&patch)?)
                .map_err(|why| io::Error::other(format!("{}: {why}", patch.display())))?;
            let file = out.join(directory).join(&name).with_extension("rs");
            fs::write(&file, mended)?;
            let quoted = file.display().to_string();
            let _ = writeln!(modules, "#[path = {quoted:?}]\npub(crate) mod {name};");
        }
        fs::write(out.join(directory).with_extension("rs"), modules)?;
    }
    Ok(())
}
