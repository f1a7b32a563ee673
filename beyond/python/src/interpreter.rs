//! Finds the Python that will run the program.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use anyhow::{Context, bail, ensure};

/// The oldest Python version whose asyncio the module supports.
const OLDEST: (u32, u32) = (3, 11);

/// A program that makes Python describe itself, one answer per line. Any version since 3.3 can run
/// it; older versions don't have `sys.implementation`.
const QUESTIONS: &str = "\
import sys, sysconfig
print(sys.implementation.name)
print('%d.%d.%d' % sys.version_info[:3])
print(getattr(sys, '_base_executable', None) or sys.executable)
print(sysconfig.get_config_var('EXT_SUFFIX'))
";

/// A Python interpreter for which the module can be built.
#[derive(Debug, Clone)]
pub struct Python {
    /// The command that starts the interpreter: a path, or a name to look up in `PATH`.
    pub program: OsString,
    /// The interpreter's version, such as `3.13.5`.
    pub version: String,
    /// The executable file. In a virtual environment, that's the file of the underlying Python.
    pub executable: String,
    /// The suffix of extension modules' file names, such as `.cpython-313-x86_64-linux-gnu.so`.
    pub suffix: String,
}

impl Python {
    /// Finds the Python that the environment variable `PYTHON` names, or `python3` if the variable
    /// isn't set or is empty.
    ///
    /// Fails if there's no such Python, or if the module can't be built for it.
    pub fn find() -> anyhow::Result<Python> {
        let named = std::env::var_os("PYTHON").filter(|name| !name.is_empty());
        Python::at(&named.unwrap_or_else(|| "python3".into()))
    }

    /// Returns the Python with this path or name, as it describes itself.
    ///
    /// Fails if this Python can't be started, isn't CPython, or is older than 3.11.
    pub fn at(program: &OsStr) -> anyhow::Result<Python> {
        let name = program.display();
        let another = "To name another: PYTHON=python3.13 cargo run -p python -- …";
        let asked = Command::new(program).args(["-c", QUESTIONS]).output().with_context(|| {
            format!(
                "{name} can't be started. You need Python 3.11 or later (Debian: apt-get install \
                 python3). {another}"
            )
        })?;
        let said = String::from_utf8_lossy(&asked.stdout).into_owned();
        let mut lines = said.lines().map(str::to_owned);
        let (Some(implementation), Some(version), Some(executable), Some(suffix)) =
            (lines.next(), lines.next(), lines.next(), lines.next())
        else {
            let complaint = String::from_utf8_lossy(&asked.stderr);
            bail!("{name} doesn't answer as a Python does: {}", complaint.trim());
        };
        ensure!(
            implementation == "cpython",
            "{name} is {implementation}, and the module is built for CPython. {another}"
        );
        let numbers: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
        ensure!(
            numbers.get(..2).is_some_and(|it| it >= &[OLDEST.0, OLDEST.1][..]),
            "{name} is Python {version}, and the module needs {}.{} or later. {another}",
            OLDEST.0,
            OLDEST.1
        );
        Ok(Python { program: program.to_owned(), version, executable, suffix })
    }
}
