//! Plays random programs both here and on CPython. Both sides must print the same lines in the
//! same order, up to the point where an older CPython differs from the newer versions.
//!
//! A test provides the programs and the code that plays them here. `player.py` in the test's own
//! directory plays them on CPython. The player can import `programs` and the step's modules in
//! `support`.
//!
//! `DIFFERENTIAL_PROGRAMS=20000` plays more programs, `DIFFERENTIAL_FIRST=1000` plays different
//! programs, and `WORKBOOK_PYTHON=python3.13` uses a different CPython.

use std::env;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{PoisonError, RwLock};

use crate::cpython::Interpreter;

pub use crate::cpython::Version;

/// The line that `player.py` prints where an older CPython differs from the newer versions. We
/// follow the newer versions. The lines after this line aren't compared.
const VERSIONS_DIFFER: &str = "versions differ";

/// A lock that's held for writing while CPython starts and for reading while a program is played
/// here. Between `fork` and `exec`, a child process holds a copy of every descriptor, so a socket
/// that a different test's program closes would stay open until the `exec`.
static DESCRIPTORS: RwLock<()> = RwLock::new(());

/// A program that can be played here and, in its `Display` form, on CPython.
pub trait Program: fmt::Display + Sized {
    /// Creates a random program for a version of CPython. The same number and version always give
    /// the same program.
    fn random(number: u64, version: Version) -> Self;

    /// Plays the program here and returns its output, without empty lines.
    fn play(&self) -> Vec<String>;

    /// Returns copies of this program, each without one of the program's parts. With these copies,
    /// we look for a short program whose outputs differ.
    fn shorter(&self) -> Vec<Self> {
        Vec::new()
    }
}

/// Plays `count` random programs here and on CPython. If a program's outputs differ, panics with
/// the shortest such program that the search finds. Also panics if fewer than half of the programs
/// could be compared in full.
///
/// Without Python 3.11 or later, prints a message and passes, or panics if `CI` is set.
///
/// `directory` is the test's own directory, such as `tests/differential` in its crate.
pub fn agree<P: Program>(manifest_dir: &str, directory: &str, count: u64) {
    let starting = DESCRIPTORS.write().unwrap_or_else(PoisonError::into_inner);
    let Some(python) = Interpreter::find() else { return };
    let mut cpython = Player::start(&python, Path::new(manifest_dir), directory);
    drop(starting);
    let first = setting("DIFFERENTIAL_FIRST", 0);
    let count = setting("DIFFERENTIAL_PROGRAMS", count);
    let mut cut = 0;
    for number in first..first + count {
        let program = P::random(number, python.version);
        let played = Played::on_both(program, &mut cpython);
        cut += u64::from(played.theirs.iter().any(|line| line == VERSIONS_DIFFER));
        if played.differs() {
            let shortened = played.shortened(&mut cpython);
            panic!("program {number}, shortened:\n{shortened}");
        }
    }
    println!("{count} programs; in {cut} of them, this version of CPython differs from later ones");
    assert!(cut * 2 <= count, "too little was compared");
}

fn setting(name: &str, default: u64) -> u64 {
    let number = |value: String| value.parse().unwrap_or_else(|_| panic!("{name} is no number"));
    env::var(name).map_or(default, number)
}

/// A program and its output here and on CPython.
struct Played<P> {
    program: P,
    ours: Vec<String>,
    theirs: Vec<String>,
}

impl<P: Program> Played<P> {
    fn on_both(program: P, cpython: &mut Player) -> Self {
        let playing = DESCRIPTORS.read().unwrap_or_else(PoisonError::into_inner);
        let ours = program.play();
        drop(playing);
        let theirs = cpython.play(&program);
        Played { program, ours, theirs }
    }

    fn differs(&self) -> bool {
        match self.theirs.iter().position(|line| line == VERSIONS_DIFFER) {
            Some(compared) => self.ours.get(..compared) != Some(&self.theirs[..compared]),
            None => self.ours != self.theirs,
        }
    }

    /// Leaves out one part after another, as long as the outputs still differ.
    fn shortened(self, cpython: &mut Player) -> Self {
        let mut shorter = self.program.shorter().into_iter();
        let differing = shorter
            .find_map(|program| Some(Played::on_both(program, cpython)).filter(Played::differs));
        match differing {
            Some(shorter) => shorter.shortened(cpython),
            None => self,
        }
    }
}

impl<P: Program> fmt::Display for Played<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ours, theirs) = (self.ours.join("\n"), self.theirs.join("\n"));
        let program = &self.program;
        writeln!(f, "{program}\nprints here\n{ours}\n\nand on CPython\n{theirs}")
    }
}

/// A process that runs `player.py`.
struct Player {
    process: Child,
    programs: ChildStdin,
    transcripts: BufReader<ChildStdout>,
}

impl Player {
    fn start(python: &Interpreter, step: &Path, directory: &str) -> Self {
        let player = step.join(directory).join("player.py");
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut command = python.command(&player, &[ours, step.join("tests/python/twins")]);
        let mut process = command.stdin(Stdio::piped()).spawn().expect("run CPython");
        let programs = process.stdin.take().expect("a pipe to CPython");
        let transcripts = process.stdout.take().expect("a pipe from CPython");
        Player { process, programs, transcripts: BufReader::new(transcripts) }
    }

    fn play(&mut self, program: &impl Program) -> Vec<String> {
        let text = format!("{}\n\n", program.to_string().trim_end_matches('\n'));
        self.programs.write_all(text.as_bytes()).expect("player.py takes a program");
        let mut transcript = Vec::new();
        loop {
            let mut line = String::new();
            self.transcripts.read_line(&mut line).expect("what player.py prints");
            assert!(line.ends_with('\n'), "player.py has ended before the program\n{program}");
            match line.trim_end_matches('\n') {
                "" => return transcript,
                line => transcript.push(line.to_owned()),
            }
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // An error means that the process has already exited by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
