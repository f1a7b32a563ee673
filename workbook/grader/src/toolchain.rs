//! The compiler for pages and the parts of cargo's own directory that a build needs. These parts
//! include the crates' sources but no passwords and no settings except those for the sources of
//! crates.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

/// The locations of the compiler and of the crates' sources.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Toolchain {
    /// The toolchain's directory, with `bin/rustc`.
    pub(crate) root: PathBuf,
    /// Cargo's own directory, `CARGO_HOME`.
    pub(crate) home: PathBuf,
    /// A file with cargo's settings for the sources of crates, or `None` if there are no such
    /// settings.
    pub(crate) config: Option<PathBuf>,
    /// The directories that the settings in `config` name.
    pub(crate) sources: Vec<PathBuf>,
}

impl Toolchain {
    /// Finds a workbook's toolchain. Writes any settings for the sources of crates to a file in
    /// `dir`.
    pub(crate) fn find(workbook: &Path, dir: &Path) -> anyhow::Result<Toolchain> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut rustc = Command::new(rustc);
        let asked = rustc.args(["--print", "sysroot"]).current_dir(workbook).output();
        let asked = asked.context("ask rustc where it is")?;
        ensure!(asked.status.success(), "rustc --print sysroot: {}", asked.status);
        let root = String::from_utf8(asked.stdout).context("read where rustc is")?;
        let home = env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
        let home = std::path::absolute(home.context("find cargo's directory")?)?;
        // Cargo also searches the directories above the workbook. The archive for classrooms
        // without a network keeps its crates there.
        let above = workbook.ancestors().skip(1).map(|above| above.join(".cargo"));
        let found = above.chain([home.clone()]).find_map(|dir| {
            ["config.toml", "config"].iter().find_map(|name| sources_in(&dir.join(name)))
        });
        let mut toolchain =
            Toolchain { root: root.trim().into(), home, config: None, sources: Vec::new() };
        if let Some((text, sources)) = found {
            let config = dir.join("sources.toml");
            fs::write(&config, text).with_context(|| format!("write {}", config.display()))?;
            (toolchain.config, toolchain.sources) = (Some(config), sources);
        }
        Ok(toolchain)
    }

    /// Returns the toolchain's cargo, or `None` if cargo isn't in the toolchain's directory.
    pub(crate) fn cargo(&self) -> Option<OsString> {
        let cargo = self.root.join("bin/cargo");
        cargo.exists().then(|| cargo.into())
    }

    /// Lists the directories of the toolchain and of the crates' sources, which a build reads.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let usual = [self.root.clone(), self.home.join("registry"), self.home.join("git")];
        usual.into_iter().chain(self.sources.clone()).collect()
    }
}

/// Returns a file's settings for the sources of crates, as TOML, and the directories that these
/// settings name. Returns `None` if there are no such settings.
fn sources_in(config: &Path) -> Option<(String, Vec<PathBuf>)> {
    let text = fs::read_to_string(config).ok()?;
    let parsed = DeTable::parse(&text).ok()?;
    let (mut lines, mut dirs) = (Vec::new(), Vec::new());
    for (name, source) in parsed.get_ref().get("source")?.get_ref().as_table()? {
        lines.push(format!("[source.{}]\n", quoted(name.get_ref())));
        for (setting, value) in source.get_ref().as_table()? {
            let value = value.get_ref().as_str()?;
            let value = if ["directory", "local-registry"].contains(&&**setting.get_ref()) {
                // As in cargo, the path is relative to the directory that contains `.cargo/`.
                dirs.push(config.parent()?.parent()?.join(value));
                dirs.last()?.to_str()?
            } else {
                value
            };
            lines.push(format!("{} = {}\n", quoted(setting.get_ref()), quoted(value)));
        }
    }
    Some((lines.concat(), dirs))
}

/// Returns text as a TOML string. JSON's quotes and escapes are also valid in TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cargos_settings_only_the_sources_of_crates_are_kept() {
        let root = env::temp_dir().join(format!("workbook-config-{}", std::process::id()));
        fs::create_dir_all(root.join(".cargo")).expect("make a directory");
        let config = root.join(".cargo/config.toml");
        let text = "[source.crates-io]\nreplace-with = 'ours'\n[source.ours]\n\
                    directory = 'vendor'\n[registry]\ntoken = 'secret'\n";
        fs::write(&config, text).expect("write");
        let kept = sources_in(&config);
        fs::write(&config, "[registry]\ntoken = 'secret'\n").expect("write");
        let none = sources_in(&config);
        fs::remove_dir_all(&root).expect("remove");
        let vendor = root.join("vendor");
        let expected = format!(
            "[source.\"crates-io\"]\n\"replace-with\" = \"ours\"\n\
             [source.\"ours\"]\n\"directory\" = {:?}\n",
            vendor.display().to_string()
        );
        assert_eq!(kept, Some((expected, vec![vendor])));
        assert_eq!(none, None);
    }
}
