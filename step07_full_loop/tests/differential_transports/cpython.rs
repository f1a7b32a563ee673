//! A CPython that plays programs, one after the other.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::program::Program;

/// A process that runs `player.py`.
pub(crate) struct CPython {
    process: Child,
    programs: ChildStdin,
    transcripts: BufReader<ChildStdout>,
}

impl CPython {
    /// Starts this interpreter, if there is one and it's recent enough.
    pub(crate) fn start(python: &str) -> Option<Self> {
        let version = "import sys; sys.exit(sys.version_info < (3, 11))";
        let is_recent = Command::new(python).args(["-c", version]).status();
        if !is_recent.is_ok_and(|status| status.success()) {
            return None;
        }
        let player =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential_transports/player.py");
        let mut command = Command::new(python);
        // Nothing of the environment, but its own directory, and no compiled files there.
        command.args(["-E", "-s", "-B"]).arg(player).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let programs = process.stdin.take().unwrap();
        let transcripts = BufReader::new(process.stdout.take().unwrap());
        Some(CPython { process, programs, transcripts })
    }

    /// Sends a program, and returns its transcript. An empty line ends either.
    pub(crate) fn play(&mut self, program: &Program) -> Vec<String> {
        self.programs.write_all(program.to_string().as_bytes()).unwrap();
        let mut transcript = Vec::new();
        loop {
            let mut line = String::new();
            self.transcripts.read_line(&mut line).unwrap();
            assert!(line.ends_with('\n'), "player.py has ended before the program\n{program}");
            match line.trim_end_matches('\n') {
                "" => return transcript,
                line => transcript.push(line.to_owned()),
            }
        }
    }
}

impl Drop for CPython {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
