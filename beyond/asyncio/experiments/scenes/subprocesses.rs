//! Other programs, fed and read by a task.

use std::process::{Command, Stdio};
use std::time::Duration;

use asyncio::{Result, create_subprocess, create_task, run, sleep, yield_now};
use scene::{Transcript, say, scene};

const MEBIBYTE: usize = 1 << 20;

scene!(
    a_subprocess_is_fed_and_read,
    "A task feeds a program 1 MiB and reads the program's output. Does the task or the program wait forever?"
);
/// `cat` writes what it reads, and a pipe holds 64 KiB. If the task wrote the whole input first,
/// `cat` would soon wait for room in the output's pipe, and the task for room in the input's pipe,
/// forever. `communicate` writes and reads at the same time: `output: 1048576 bytes`.
/// There's no pipe for the errors, because the scene didn't ask for one.
fn a_subprocess_is_fed_and_read(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = create_subprocess(&mut command)?;
        say!(t, "returncode at first: {}", shown(process.returncode()));
        let (output, errors) = process.communicate(&vec![b'x'; MEBIBYTE]).await?;
        say!(t, "output: {} bytes", output.unwrap_or_default().len());
        say!(t, "error output: {}", if errors.is_some() { "a pipe" } else { "no pipe" });
        say!(t, "returncode in the end: {}", shown(process.returncode()));
        Ok(())
    })?;
    Ok(())
}

scene!(
    fed_before_it_is_read,
    "A task feeds a program 1 MiB and reads nothing meanwhile. Does the program take all of it?"
);
/// The task begins to read the program's output a tenth of a second later.
fn fed_before_it_is_read(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = create_subprocess(&mut command)?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Ok(());
        };
        let feeding = create_task(async move { stdin.write_all(&vec![b'x'; MEBIBYTE]).await })?;
        sleep(Duration::from_millis(100)).await?;
        say!(t, "100 ms later, all input is written: {}", feeding.done());
        say!(t, "the task reads cat's output: {} bytes", stdout.read_to_end().await?.len());
        say!(t, "all input is written: {}", feeding.done());
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_wait_for_a_process_is_cancelled,
    "A task that waits for a program is cancelled. Is the program's return code lost?"
);
/// The cancellation ends that task's wait and nothing else. The loop watches a descriptor of the
/// process (a pidfd) and fetches the status when the process ends, whether or not a task waits.
/// So the second wait gets the return code: `the second wait returns: -15`. If a signal has ended a
/// process, the code is the signal's number, negative as in Python, and SIGTERM is 15.
fn a_wait_for_a_process_is_cancelled(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let process = create_subprocess(Command::new("cat").stdin(Stdio::piped()))?;
        let process = std::rc::Rc::new(process);
        let waits = std::rc::Rc::clone(&process);
        let waiting = create_task(async move { waits.wait().await })?;
        yield_now().await?;
        waiting.cancel();
        say!(t, "the wait is cancelled: {}", is_cancelled(&waiting.await));
        say!(t, "returncode: {}", shown(process.returncode()));
        process.terminate()?;
        say!(t, "the second wait returns: {}", process.wait().await?);
        Ok(())
    })?;
    Ok(())
}

fn is_cancelled(outcome: &Result<i32>) -> bool {
    outcome.as_ref().is_err_and(asyncio::Error::is_cancelled)
}

fn shown(returncode: Option<i32>) -> String {
    returncode.map_or_else(|| "None".to_owned(), |code| code.to_string())
}
