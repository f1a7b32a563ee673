//! A program's input and output; after CPython's `test_subprocess.py`.

use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::test;
use asyncio::{
    Error, EventLoop, Process, Read, Result, create_subprocess, create_task, get_running_loop, run,
    yield_now,
};
use kit::{Refusal, limit_time};

/// More than a pipe holds.
const MEBIBYTE: usize = 1 << 20;

fn piped(program: &str, arguments: &[&str]) -> Result<Process> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    create_subprocess(&mut command)
}

#[test]
fn communicate_with_a_mebibyte_each_way() {
    test(async {
        let input: Vec<u8> = (0..=250).collect::<Vec<u8>>().repeat(MEBIBYTE / 251);
        // The program writes all its input twice, to both of its outputs.
        let mut process = piped("sh", &["-c", "tee /dev/stderr"])?;
        let (output, errors) = process.communicate(&input).await?;
        assert!(output.unwrap() == input);
        assert!(errors.unwrap() == input);
        Ok(())
    });
}

#[test]
fn communicate_none_input_and_empty_input() {
    test(async {
        let (output, _) = piped("cat", &[])?.communicate(b"").await?;
        assert_eq!(output.unwrap(), b"");
        let mut command = Command::new("cat");
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = create_subprocess(&mut command)?;
        assert!(process.stdin.is_none() && process.stderr.is_none());
        let (output, errors) = process.communicate(b"").await?;
        assert_eq!((output.as_deref(), errors), (Some(&b""[..]), None));
        let mut process = create_subprocess(command.stdin(Stdio::null()))?;
        let refused = process.communicate(b"x").await.unwrap_err();
        assert_eq!(refused.to_string(), "communicate: stdin isn't a pipe");
        process.wait().await?;
        Ok(())
    });
}

#[test]
fn communicate_ignores_a_broken_pipe() {
    test(async {
        let mut process = piped("true", &[])?;
        process.communicate(&vec![b'x'; MEBIBYTE]).await?;
        assert_eq!(process.returncode(), Some(0));
        Ok(())
    });
}

#[test]
fn stdin_broken_pipe() {
    test(async {
        // The program reads one byte and ends, while the writer waits for room.
        let process = piped("head", &["-c", "1"])?;
        let stdin = process.stdin.as_ref().unwrap();
        let Error::Io(error) = stdin.write_all(&vec![b'x'; 4 * MEBIBYTE]).await.unwrap_err() else {
            panic!("no error of the system")
        };
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        assert!(error.to_string().starts_with("write fd "), "{error}");
        assert_eq!(process.wait().await?, 0);
        Ok(())
    });
}

#[test]
fn pause_reading() {
    test(async {
        let process = piped("head", &["-c", "1048576", "/dev/zero"])?;
        let stdout = process.stdout.as_ref().unwrap();
        let mut buffer = [0; 16];
        assert_eq!(stdout.read(&mut buffer).await?, 16);
        // Nothing is read ahead: the other bytes stay in the pipe, and the program waits.
        for _ in 0..100 {
            yield_now().await?;
        }
        assert_eq!(process.returncode(), None);
        assert_eq!(stdout.read_to_end().await?.len(), MEBIBYTE - 16);
        assert_eq!(process.wait().await?, 0);
        Ok(())
    });
}

#[test]
fn a_writer_that_waits_for_room_lets_the_loop_sleep() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let writing = event_loop.create_task(async {
        let process = piped("tail", &["-f", "/dev/null"])?;
        process.stdin.as_ref().unwrap().write_all(&vec![0; MEBIBYTE]).await
    });
    for _ in 0..100 {
        event_loop.stop();
        event_loop.run_forever().unwrap();
    }
    assert_eq!(event_loop.select_timeout(), None, "nothing is ready");
    assert!(!writing.done());
    event_loop.close().unwrap();
}

#[test]
fn read_stdout_after_process_exit() {
    test(async {
        let process = piped("sh", &["-c", "head -c 60000 /dev/zero; exit 1"])?;
        assert_eq!(process.wait().await?, 1);
        let stdout = process.stdout.as_ref().unwrap();
        assert_eq!(stdout.read_to_end().await?.len(), 60_000);
        assert_eq!(stdout.read(&mut [0; 8]).await?, 0, "the end stays the end");
        assert_eq!(stdout.try_read(&mut [0; 8])?, Read::End);
        Ok(())
    });
}

#[test]
fn devnull_output_and_error() {
    test(async {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = create_subprocess(&mut command)?;
        let (output, errors) = process.communicate(b"").await?;
        assert_eq!((output, errors.as_deref()), (None, Some(&b"err\n"[..])));
        Ok(())
    });
}

#[test]
fn communicate_that_is_cancelled_closes_the_pipes() {
    test(async {
        // The program prints nothing: some kinds of cat get SIGPIPE when the input ends without
        // bytes to copy.
        let mut process = piped("sh", &["-c", "read line; exit 0"])?;
        let fed = process.stdin.take();
        let (pid, conversation) = (process.pid(), async move {
            let ended = process.communicate(b"").await;
            assert!(ended.unwrap_err().is_cancelled());
            assert!(process.stdout.is_none(), "it was taken, and so it's closed");
            drop(fed);
            process.wait().await
        });
        let task = create_task(conversation)?;
        yield_now().await?;
        task.cancel();
        assert_eq!(task.await?, 0, "process {pid} is waited for all the same");
        Ok(())
    });
}

#[test]
fn level_and_edge_do_not_mix_on_a_pipe() {
    test(async {
        let mut process = piped("cat", &[])?;
        let event_loop = get_running_loop()?;
        assert!(event_loop.add_reader(process.stdout.as_ref().unwrap(), || {}).is_err());
        process.communicate(b"").await?;
        Ok(())
    });
}

#[test]
fn communicate_passes_on_what_is_wrong_with_the_input_unless_the_program_reads_no_more() {
    limit_time();
    let feed = || {
        run(async {
            let mut command = Command::new("cat");
            let mut process = create_subprocess(command.stdin(Stdio::piped()))?;
            process.communicate(b"some data").await.map(drop)
        })
        .map_err(|error| error.to_string())
    };
    let outcome = |errno| Refusal::all_during(&Refusal::of_writes(errno), feed).unwrap();
    assert_eq!(outcome(libc::EPIPE), Ok(()));
    let error = outcome(libc::EIO).unwrap_err();
    assert!(error.starts_with("write fd ") && error.ends_with("(os error 5)"), "{error}");
}

#[test]
fn a_refused_communicate_leaves_the_pipes_as_they_were() {
    test(async {
        let mut command = Command::new("sh");
        // The program writes twice and would be killed by the second write without a reader.
        command.args(["-c", "echo one; read go < \"$0\"; echo two; echo three >&2"]);
        let directory = std::env::temp_dir().join(format!("communicate_{}", std::process::id()));
        std::fs::create_dir_all(&directory)?;
        let gate = directory.join("gate");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &gate,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .map_err(std::io::Error::from)?;
        command.arg(&gate).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = create_subprocess(&mut command)?;
        let refused = process.communicate(b"input").await.unwrap_err();
        assert_eq!(refused.to_string(), "communicate: stdin isn't a pipe");
        // This waits until the program opens the FIFO.
        std::fs::write(&gate, "go\n")?;
        let (output, errors) = process.communicate(b"").await?;
        assert_eq!(output.as_deref(), Some(&b"one\ntwo\n"[..]));
        assert_eq!(errors.as_deref(), Some(&b"three\n"[..]));
        assert_eq!(process.wait().await?, 0);
        std::fs::remove_dir_all(&directory)?;
        Ok(())
    });
}
