//! A shell that waits for the runner's end. If the runner is killed outright, so that it can't end
//! the scenes itself, the shell ends every process that has the runner's tag in its environment.

use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;

use rustix::process::Pid;
use std::os::unix::process::CommandExt;

use super::strays::runners_tag;
use scene::RECORDS_ON_STDIN;

/// Standard input is a pipe to which only the runner has the other end, so it ends with the runner.
/// Two rounds, because a process can start another while the first one looks.
const SCRIPT: &str = r#"
read -r nothing
cd /proc
for round in 1 2; do
    for file in $(grep -ls -- "$0" [0-9]*/environ); do
        kill -9 "${file%/environ}"
    done
done
"#;

/// The shell's process ID, and our end of its pipe.
static WARDEN: OnceLock<Option<(Pid, ChildStdin)>> = OnceLock::new();

/// Starts the shell, unless it runs already. Without a shell, a killed runner's scenes end
/// themselves, but not what they started.
pub(super) fn start() {
    WARDEN.get_or_init(|| {
        let variable = format!("{RECORDS_ON_STDIN}={}", runners_tag());
        let shell = Command::new("sh")
            // Its own command line contains the tag, but not its environment.
            .args(["-c", SCRIPT, &variable])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is for the runner, which then ends the scenes; the shell ends after it.
            .process_group(0)
            .spawn();
        let mut shell = shell.ok()?;
        Some((Pid::from_child(&shell), shell.stdin.take()?))
    });
}

/// Returns true if a process is the shell.
pub(super) fn is_it(process: Pid) -> bool {
    WARDEN.get().and_then(Option::as_ref).is_some_and(|(warden, _)| *warden == process)
}
