//! What compiles a page, and what that needs of cargo's own directory: the sources of crates, and
//! neither a password nor a setting.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

/// The compiler with its libraries, and the crates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Toolchain {
    /// The toolchain's directory, with `bin/rustc`.
    pub(crate) root: PathBuf,
    /// `CARGO_HOME`.
    pub(crate) home: PathBuf,
    /// A file with those settings of cargo's that name another source of crates, if there are any.
    pub(crate) config: Option<PathBuf>,
}

impl Toolchain {
    /// Finds the toolchain of a workbook, and writes the settings into a directory.
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
        let sources = ["config.toml", "config"].map(|name| sources_in(&home.join(name)));
        let config = sources.into_iter().flatten().next().map(|sources| {
            let config = dir.join("sources.toml");
            fs::write(&config, sources).with_context(|| format!("write {}", config.display()))?;
            anyhow::Ok(config)
        });
        Ok(Toolchain { root: root.trim().into(), home, config: config.transpose()? })
    }

    /// Returns its cargo. A toolchain that's in several places can have it elsewhere.
    pub(crate) fn cargo(&self) -> Option<OsString> {
        let cargo = self.root.join("bin/cargo");
        cargo.exists().then(|| cargo.into())
    }

    /// Lists what a build reads.
    pub(crate) fn files(&self) -> [PathBuf; 3] {
        [self.root.clone(), self.home.join("registry"), self.home.join("git")]
    }
}

/// Returns those settings that name sources of crates, as TOML. Returns `None` if there are none.
fn sources_in(config: &Path) -> Option<String> {
    let text = fs::read_to_string(config).ok()?;
    let config = DeTable::parse(&text).ok()?;
    let sources = config.get_ref().get("source")?.get_ref().as_table()?;
    let mut text = String::new();
    for (name, source) in sources {
        text += &format!("[source.{}]\n", quoted(name.get_ref()));
        for (setting, value) in source.get_ref().as_table()? {
            let value = value.get_ref().as_str()?;
            text += &format!("{} = {}\n", quoted(setting.get_ref()), quoted(value));
        }
    }
    Some(text)
}

/// Returns a text as TOML has it. JSON's quotes and escapes are TOML's, too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cargos_settings_only_the_sources_of_crates_are_kept() {
        let config = env::temp_dir().join(format!("workbook-config-{}", std::process::id()));
        let text = "[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\n\
                    registry = 'sparse+https://mirror/'\n[registry]\ntoken = 'secret'\n";
        fs::write(&config, text).expect("write");
        let kept = sources_in(&config).expect("sources");
        fs::remove_file(&config).expect("remove");
        let expected = "[source.\"crates-io\"]\n\"replace-with\" = \"mirror\"\n\
                        [source.\"mirror\"]\n\"registry\" = \"sparse+https://mirror/\"\n";
        assert_eq!(kept, expected);
        assert_eq!(sources_in(&config), None);
    }
}
