//! Builds the library that contains the loop, and makes the directory from which Python imports the
//! library.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use scene::root::{cargo, find_root, package_dir};

use crate::Python;

/// The environment variable that names the manifest of the extension on the reader's layers.
/// `run-mine` sets this variable.
pub const MANIFEST: &str = "WORKBOOK_EXTENSION";
/// The variable that names the directory in which that extension is built.
pub const TARGET: &str = "WORKBOOK_EXTENSION_TARGET";
/// The variable that lists the features to build, if they aren't the default ones.
pub const FEATURES: &str = "WORKBOOK_EXTENSION_FEATURES";

/// The time for which an old copy is kept, since a program may still be importing from it.
const KEPT: Duration = Duration::from_hours(24);

/// The sources of the workbook's Python module, and the options for building it.
#[derive(Debug, Clone)]
pub struct Extension {
    /// The manifest of the crate that becomes the library.
    pub manifest: PathBuf,
    /// The directory that contains the module's Python half.
    pub package: PathBuf,
    /// The directory for all build output. It contains a subdirectory for each Python.
    pub target: PathBuf,
    /// The crate's features, if they differ from the default.
    pub features: Option<String>,
    /// True if the crate's lock file has to be up to date. False for a build on the reader's
    /// layers, because cargo has to add those to the lock file.
    pub is_locked: bool,
    /// True for a release build, which runs faster but takes longer to compile.
    pub is_release: bool,
}

impl Extension {
    /// Returns the module as built on the reference's layers.
    ///
    /// Fails if `CARGO_TARGET_DIR` isn't set and this program isn't in a copy of the workbook,
    /// since there's no target directory then.
    pub fn of_the_workbook() -> anyhow::Result<Extension> {
        let home = package_dir(env!("CARGO_MANIFEST_DIR"));
        let target = match env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty()) {
            Some(dir) => std::path::absolute(dir).context("find the target directory")?,
            None => find_root(&home)?.join("target"),
        };
        Ok(Extension {
            manifest: home.join("extension/Cargo.toml"),
            package: home.join("package"),
            target: target.join("python"),
            features: None,
            is_locked: true,
            is_release: !cfg!(debug_assertions),
        })
    }

    /// Returns the module on the reader's layers if `run-mine` has set the variables. Otherwise,
    /// returns the module on the reference's layers.
    pub fn wanted() -> anyhow::Result<Extension> {
        let mut wanted = Extension::of_the_workbook()?;
        if let Some(manifest) = env::var_os(MANIFEST) {
            wanted.manifest = manifest.into();
            wanted.target = env::var_os(TARGET).context("where is it to be built?")?.into();
            wanted.features = env::var(FEATURES).ok();
            wanted.is_locked = false;
        }
        Ok(wanted)
    }

    /// Builds the module for a Python. Returns the directory from which the module can be imported.
    ///
    /// Fails if cargo can't build the library, or if that Python can't load it.
    pub fn build_for(&self, python: &Python) -> anyhow::Result<PathBuf> {
        let home = self.target.join(python.suffix.trim_start_matches('.').trim_end_matches(".so"));
        let library = self.build_library(python, &home)?;
        let modules = home.join("modules");
        let kept = modules.join(format!("{:016x}", self.fingerprint(&library)?));
        if !kept.exists() {
            // Another process may be building the module at the same time.
            let ours = modules.join(format!("new-{}", std::process::id()));
            self.copy_to(&ours, &library, python)?;
            check_that_it_loads(python, &ours)?;
            remove_old(&modules);
            if fs::rename(&ours, &kept).is_err() && kept.exists() {
                let _ = fs::remove_dir_all(&ours);
            }
        }
        Ok(kept)
    }

    fn build_library(&self, python: &Python, target: &Path) -> anyhow::Result<PathBuf> {
        let profile = if self.is_release { "release" } else { "debug" };
        let library = target.join(profile).join("libworkbook_loop.so");
        let mut command = cargo();
        // The notebook may have a configuration that shares its build directory. We don't share it
        // here, because pyo3 is compiled for one particular Python.
        command.arg("build").arg("--manifest-path").arg(&self.manifest);
        command.arg("--target-dir").arg(target).env("CARGO_BUILD_BUILD_DIR", target);
        command.env("PYO3_PYTHON", &python.executable);
        command.args(self.is_release.then_some("--release"));
        command.args(self.is_locked.then_some("--locked"));
        if let Some(features) = &self.features {
            command.args(["--no-default-features", "--features", features]);
        }
        if library.exists() {
            command.arg("--quiet");
        } else {
            eprintln!(
                "Building the loop for Python {}. The first time takes a minute or two, and cargo \
                 downloads pyo3 if it isn't there.",
                python.version
            );
        }
        let status = command.status().context("start cargo")?;
        if !status.success() {
            bail!(
                "The module for Python wasn't built; cargo says why, above. If a crate is missing \
                 and there's no network, this has to be run once where there is one: cargo fetch \
                 --manifest-path beyond/python/extension/Cargo.toml"
            );
        }
        Ok(library)
    }

    /// Returns a number that changes whenever the library or the Python half changes.
    fn fingerprint(&self, library: &Path) -> anyhow::Result<u64> {
        let mut hasher = DefaultHasher::new();
        let mut files = files_below(&self.package)?;
        files.push(library.to_owned());
        for file in files {
            hasher.write(file.as_os_str().as_encoded_bytes());
            hasher.write(&fs::read(&file).with_context(|| format!("read {}", file.display()))?);
        }
        Ok(hasher.finish())
    }

    fn copy_to(&self, to: &Path, library: &Path, python: &Python) -> anyhow::Result<()> {
        let _ = fs::remove_dir_all(to);
        for file in files_below(&self.package)? {
            copy(&file, &to.join(file.strip_prefix(&self.package)?))?;
        }
        copy(library, &to.join("workbook").join(format!("_loop{}", python.suffix)))
    }
}

/// Makes Python load the library once for each build. Otherwise, an `ImportError` could come up in
/// the reader's own program, where it would look like the program's mistake.
fn check_that_it_loads(python: &Python, modules: &Path) -> anyhow::Result<()> {
    let asked = Command::new(&python.program)
        .args(["-c", "import workbook._loop"])
        .env("PYTHONPATH", modules)
        .output()
        .with_context(|| format!("start {}", python.program.display()))?;
    if asked.status.success() {
        return Ok(());
    }
    let _ = fs::remove_dir_all(modules);
    let said = String::from_utf8_lossy(&asked.stderr);
    bail!(
        "{} can't load the library that cargo has built for it: {}. Both have to be made for the \
         same kind of machine, with the same C library. To name another Python: PYTHON=…",
        python.program.display(),
        said.trim().lines().last().unwrap_or("it says nothing").trim_end_matches('.')
    )
}

/// Returns the source files of the module's Python half, sorted.
fn files_below(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("list {}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else if path.extension().is_some_and(|it| it == "py" || it == "pyi") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let copied = fs::create_dir_all(to.parent().unwrap_or(to)).and_then(|()| fs::copy(from, to));
    copied.map(drop).with_context(|| format!("copy {} to {}", from.display(), to.display()))
}

fn remove_old(modules: &Path) {
    let entries = fs::read_dir(modules).into_iter().flatten().flatten();
    for entry in entries {
        let made = entry.metadata().and_then(|it| it.modified()).ok();
        if made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
