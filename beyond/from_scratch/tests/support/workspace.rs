//! A workspace below `target/` in which each loop is a package. A package's program contains the
//! scenes and trials of the stages that judge its loop.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use judging::notebook::from_scratch::{SHARED, dependencies};
use scene::root::cargo;

/// A loop, and the number of stages that judge it, beginning with the first.
pub(crate) struct Loop {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) stages: usize,
}

/// Builds the loops and returns their programs by the loops' names.
pub(crate) fn build(root: &Path, loops: Vec<Loop>) -> BTreeMap<String, PathBuf> {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("designs");
    let mut members = Vec::new();
    for Loop { name, text, stages } in &loops {
        let package = workspace.join(name);
        fs::create_dir_all(package.join("src")).unwrap();
        fs::create_dir_all(package.join("examples")).unwrap();
        write_if_new(&package.join("Cargo.toml"), &manifest(name));
        write_if_new(&package.join("src/lib.rs"), text);
        write_if_new(&package.join("examples").join(name).with_extension("rs"), &program(*stages));
        members.push(name);
    }
    let text = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (before, after) = text.split_once("members = [").expect("its members");
    let (_, after) = after.split_once("\nexclude").expect("what it excludes");
    let absolute = format!("path = \"{}/", root.display());
    let after = after.replace("path = \"", &absolute);
    let text = format!("{before}members = {members:?}\nexclude{after}");
    write_if_new(&workspace.join("Cargo.toml"), &text);
    fs::copy(root.join("Cargo.lock"), workspace.join("Cargo.lock")).unwrap();
    let target = workspace.join("target");
    let output = cargo()
        .current_dir(&workspace)
        .args(["build", "--quiet", "--examples", "--keep-going"])
        .env("CARGO_TARGET_DIR", &target)
        // Reuse the files that have been compiled for the workbook.
        .env("CARGO_BUILD_BUILD_DIR", root.join("target"))
        .env_remove("CARGO_MANIFEST_DIR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let program = |it: Loop| (it.name.clone(), target.join("debug/examples").join(it.name));
    loops.into_iter().map(program).collect()
}

fn manifest(name: &str) -> String {
    format!(
        "[package]\n\
         name = \"{name}\"\n\
         version = \"0.1.0\"\n\
         edition.workspace = true\n\
         rust-version.workspace = true\n\n\
         [lib]\n\
         name = \"from_scratch\"\n"
    ) + &dependencies()
}

/// Returns the source of a loop's program. In the notebook, each stage has a separate program.
fn program(stages: usize) -> String {
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let mut text = String::from("#![allow(dead_code)]\n");
    let numbered = (1..=stages).map(|stage| format!("stage{stage}"));
    for stage in numbered.clone() {
        let file = experiments.join(&stage).join("mod.rs");
        let _ = writeln!(text, "#[path = {:?}]\nmod {stage};", file.display().to_string());
    }
    for module in SHARED {
        let file = experiments.join(module).with_extension("rs");
        let _ = writeln!(text, "#[path = {:?}]\nmod {module};", file.display().to_string());
    }
    let of_all = |list: &str| {
        let lists: Vec<String> = numbered.clone().map(|stage| format!("{stage}::{list}")).collect();
        lists.join(", ")
    };
    let (scenes, trials) = (of_all("SCENES"), of_all("TRIALS"));
    let _ = write!(
        text,
        "#[global_allocator]\n\
         static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;\n\
         fn main() -> std::process::ExitCode {{\n\
             scene::descriptors::may_stay_open();\n\
             let scenes: &[&[scene::Scene]] = &[{scenes}];\n\
             let trials: &[&[scene::Trial]] = &[{trials}];\n\
             scene::main(&scene::Page {{\n\
                 package: env!(\"CARGO_PKG_NAME\"),\n\
                 manifest_dir: env!(\"CARGO_MANIFEST_DIR\"),\n\
                 scenes: scenes.concat().leak(),\n\
                 trials: trials.concat().leak(),\n\
                 serve: None,\n\
             }})\n\
         }}\n"
    );
    text
}

/// Writes a file only if its text changes, so that cargo doesn't rebuild unnecessarily.
fn write_if_new(file: &Path, text: &str) {
    if fs::read_to_string(file).ok().as_deref() != Some(text) {
        fs::write(file, text).unwrap();
    }
}
