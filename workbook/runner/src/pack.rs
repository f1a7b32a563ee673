//! `cargo run -- pack`: everything for a room without a network, in one archive.
//!
//! It contains a git clone of the workbook, the sources of all crates that it needs, and the built
//! book; with `--toolchain`, also the Rust that runs this. Cargo finds the crates through a
//! `.cargo/config.toml` beside the clone, so the clone stays as git knows it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, bail, ensure};
use scene::root::cargo;

use crate::terminal::{Terminal, shown};
use crate::workbook::{Workbook, write};

/// The archive's only directory.
const NAME: &str = "event-loop-workbook";

/// Makes the archive below `target/`.
///
/// Fails if the workbook isn't a git repository, or if git, cargo or tar fails.
pub fn pack(workbook: &Workbook, options: &[&str]) -> anyhow::Result<ExitCode> {
    let with_toolchain = match options {
        [] => false,
        ["--toolchain"] => true,
        other => return Ok(crate::misused(&format!("pack takes --toolchain, not {other:?}"))),
    };
    let terminal = Terminal::of_stdout();
    let target = workbook.root.join("target");
    let pack = Pack { root: workbook.root.clone(), dir: target.join("pack").join(NAME) };
    if pack.dir.exists() {
        fs::remove_dir_all(&pack.dir).with_context(|| format!("remove {}", pack.dir.display()))?;
    }
    terminal.print(&pack.about_uncommitted_changes(&terminal)?);
    pack.clone_the_workbook()?;
    pack.vendor_the_crates()?;
    pack.build_the_book()?;
    if with_toolchain {
        pack.copy_the_toolchain()?;
    }
    write(&pack.dir.join("README.txt"), &readme(with_toolchain))?;
    let archive = target.join(format!("{NAME}.tar.gz"));
    pack.archive(&archive)?;
    let bytes = fs::metadata(&archive).context("find the archive's size")?.len();
    let about = format!("{} is ready: {} MB.", shown(&archive), bytes.div_ceil(1_000_000));
    terminal.print(&format!("\n{}", terminal.bold(&terminal.wrap("", &about))));
    terminal.print(&format!("In the room:\n{}", commands(with_toolchain)));
    Ok(ExitCode::SUCCESS)
}

struct Pack {
    root: PathBuf,
    /// The directory that goes into the archive.
    dir: PathBuf,
}

impl Pack {
    /// The archive has what is committed. Says so if there's more.
    fn about_uncommitted_changes(&self, terminal: &Terminal) -> anyhow::Result<String> {
        let mut git = Command::new("git");
        let status = git.current_dir(&self.root).args(["status", "--porcelain"]);
        let status = status.stderr(Stdio::inherit()).output().context("start git")?;
        ensure!(status.status.success(), "pack needs the workbook as a git repository");
        if status.stdout.is_empty() {
            return Ok(String::new());
        }
        let about = "What isn't committed doesn't go into the archive; `git status` lists it.";
        Ok(terminal.wrap("", about))
    }

    fn clone_dir(&self) -> PathBuf {
        self.dir.join("workbook")
    }

    fn clone_the_workbook(&self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.dir)
            .with_context(|| format!("make the directory {}", self.dir.display()))?;
        let mut git = Command::new("git");
        // Not by hard links, which tar would store as links into another directory.
        git.args(["clone", "--quiet", "--no-hardlinks"]).arg(&self.root).arg(self.clone_dir());
        run(&mut git, "git clone")?;
        // The clone is for another machine, which has no such directory.
        let mut git = Command::new("git");
        run(git.current_dir(self.clone_dir()).args(["remote", "remove", "origin"]), "git remote")
    }

    /// Stores the crates' sources, and tells cargo about them.
    fn vendor_the_crates(&self) -> anyhow::Result<()> {
        let mut command = cargo();
        command
            .current_dir(self.clone_dir())
            .args(["vendor", "--quiet", "--locked", "--versioned-dirs", "../vendor"])
            .stderr(Stdio::inherit());
        let vendored = command.output().context("start cargo vendor")?;
        ensure!(vendored.status.success(), "cargo vendor failed: {}", vendored.status);
        write(&self.dir.join(".cargo/config.toml"), CONFIG)
    }

    fn build_the_book(&self) -> anyhow::Result<()> {
        let mut command = cargo();
        command.current_dir(&self.root).args(["run", "--quiet", "--locked", "-p", "book"]);
        run(command.stdout(Stdio::null()), "cargo run -p book")?;
        copy(&self.root.join("target/book"), &self.dir.join("book"))
    }

    /// Copies the toolchain that built this program, without its documentation. A toolchain works
    /// wherever it is.
    fn copy_the_toolchain(&self) -> anyhow::Result<()> {
        let mut rustc = Command::new("rustc");
        // In the root, so that rustup chooses the toolchain that it'd choose for the workbook.
        let rustc = rustc.current_dir(&self.root).args(["--print", "sysroot"]);
        let sysroot = rustc.stderr(Stdio::inherit()).output().context("start rustc")?;
        let sysroot = String::from_utf8(sysroot.stdout).context("rustc's sysroot")?;
        let toolchain = self.dir.join("toolchain");
        copy(Path::new(sysroot.trim()), &toolchain)?;
        let documentation = toolchain.join("share/doc");
        if documentation.exists() {
            fs::remove_dir_all(documentation).context("leave out Rust's documentation")?;
        }
        Ok(())
    }

    fn archive(&self, archive: &Path) -> anyhow::Result<()> {
        let above = self.dir.parent().context("the directory for the archive")?;
        let mut tar = Command::new("tar");
        run(tar.arg("-czf").arg(archive).arg("-C").arg(above).arg(NAME), "tar")
    }
}

/// Copies a directory with all that's in it.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let mut cp = Command::new("cp");
    run(cp.arg("-a").arg(from).arg(to), "cp")
}

fn run(command: &mut Command, name: &str) -> anyhow::Result<()> {
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("start {name}"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    Ok(())
}

/// Cargo looks for the vendored crates from here, also when it's started in a directory below.
const CONFIG: &str = "\
# Takes the crates from vendor/ instead of the network.
[source.crates-io]
replace-with = \"vendored-sources\"

[source.vendored-sources]
directory = \"vendor\"

[net]
offline = true
";

fn commands(with_toolchain: bool) -> String {
    let toolchain =
        if with_toolchain { "    export PATH=\"$PWD/toolchain/bin:$PATH\"\n" } else { "" };
    format!(
        "    tar -xzf {NAME}.tar.gz\n    cd {NAME}\n{toolchain}    cd workbook\n    cargo run -p step01_fd\n"
    )
}

fn readme(with_toolchain: bool) -> String {
    let rust = if with_toolchain {
        "Rust is in toolchain/, for the kind of machine that the archive was made on. It needs a C
compiler, which it starts as `cc` to link programs (Debian: gcc and libc6-dev)."
    } else {
        "You need Rust 1.91 or later, and a C compiler, which Rust starts as `cc` to link programs
(Debian: gcc and libc6-dev). `cargo run -- pack --toolchain` makes an archive that has Rust, too."
    };
    format!(
        "The Event Loop Workbook, for a room without a network

{}
{rust}

workbook/   a git clone of the workbook
vendor/     the sources of all crates that it needs; .cargo/config.toml tells cargo to use them
book/       the built book: open book/index.html
",
        commands(with_toolchain)
    )
}
