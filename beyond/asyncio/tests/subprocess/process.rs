//! Starting a program, waiting for it, and sending it signals; after CPython's
//! `test_subprocess.py`.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::process::{Command, Stdio};
use std::rc::Rc;

use crate::test;
use asyncio::{
    Error, Process, Result, create_subprocess, create_task, get_running_loop, yield_now,
};
use rustix::process::{Pid, WaitOptions, waitpid};
use step01_fd::errno;

/// A program that ends when its input does.
fn cat() -> Result<Process> {
    create_subprocess(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()))
}

/// A program that runs until a signal ends it.
fn blocked() -> Result<Process> {
    create_subprocess(Command::new("tail").args(["-f", "/dev/null"]).stdin(Stdio::null()))
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn stdin_stdout() {
    test(async {
        let mut process = cat()?;
        let stdin = process.stdin.take().unwrap();
        stdin.write_all(b"some data").await?;
        drop(stdin);
        assert_eq!(process.stdout.as_ref().unwrap().read_to_end().await?, b"some data");
        assert_eq!(process.wait().await?, 0);
        assert_eq!(process.returncode(), Some(0));
        Ok(())
    });
}

#[test]
fn shell_and_its_exit_code() {
    test(async {
        let process = create_subprocess(&mut shell("exit 7"))?;
        assert_eq!(process.returncode(), None, "the loop hasn't looked");
        assert_eq!(process.wait().await?, 7);
        assert_eq!(process.wait().await?, 7, "again");
        Ok(())
    });
}

#[test]
fn kill_and_terminate() {
    test(async {
        let process = blocked()?;
        process.kill()?;
        assert_eq!(process.wait().await?, -libc::SIGKILL);
        let process = blocked()?;
        process.terminate()?;
        assert_eq!(process.wait().await?, -libc::SIGTERM);
        Ok(())
    });
}

#[test]
fn send_signal() {
    test(async {
        let script = "trap 'echo caught; exit 3' USR1; echo ready; while :; do read line; done";
        let mut command = shell(script);
        let process = create_subprocess(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let stdout = process.stdout.as_ref().unwrap();
        let mut buffer = [0; 16];
        assert_eq!(stdout.read(&mut buffer).await?, b"ready\n".len());
        process.send_signal(libc::SIGUSR1)?;
        assert_eq!(stdout.read_to_end().await?, b"caught\n");
        assert_eq!(process.wait().await?, 3);
        Ok(())
    });
}

#[test]
fn a_signal_after_the_end_is_an_error_and_hits_nothing_else() {
    test(async {
        let process = create_subprocess(&mut Command::new("true"))?;
        process.wait().await?;
        let error = process.kill().unwrap_err();
        assert_eq!(errno(&error), Some(libc::ESRCH));
        let named = format!("send signal 9 to pid {}: ", process.pid());
        assert!(error.to_string().starts_with(&named), "{error}");
        Ok(())
    });
}

#[test]
fn concurrent_wait() {
    test(async {
        let process = Rc::new(cat()?);
        let waiting = |_| {
            let process = Rc::clone(&process);
            create_task(async move { process.wait().await })
        };
        let tasks: Vec<_> = (0..3).map(waiting).collect::<std::result::Result<_, _>>()?;
        yield_now().await?;
        process.kill()?;
        for task in tasks {
            assert_eq!(task.await?, -libc::SIGKILL);
        }
        Ok(())
    });
}

#[test]
fn subprocess_repr() {
    test(async {
        let process = create_subprocess(&mut shell("exit 2"))?;
        let pid = process.pid();
        let shown = format!("Process {{ pid: {pid}, returncode: None, .. }}");
        assert_eq!(format!("{process:?}"), shown);
        process.wait().await?;
        let shown = format!("Process {{ pid: {pid}, returncode: Some(2), .. }}");
        assert_eq!(format!("{process:?}"), shown);
        Ok(())
    });
}

#[test]
fn a_status_that_someone_else_has_fetched_is_255_and_reported() {
    test(async {
        let reports: Rc<RefCell<Vec<String>>> = Rc::default();
        let kept = Rc::clone(&reports);
        get_running_loop()?.set_exception_handler(move |context| {
            kept.borrow_mut().push(context.message.clone());
        });
        let process = create_subprocess(&mut Command::new("true"))?;
        let pid = Pid::from_raw(process.pid().cast_signed()).unwrap();
        waitpid(Some(pid), WaitOptions::empty()).unwrap();
        assert_eq!(process.wait().await?, 255);
        let expected = format!(
            "child process pid {} exit status already read:  will report returncode 255",
            process.pid()
        );
        assert_eq!(*reports.borrow(), [expected]);
        Ok(())
    });
}

#[test]
fn outside_of_a_running_loop_nothing_is_started() {
    let outside = create_subprocess(&mut Command::new("true"));
    assert_eq!(outside.unwrap_err().to_string(), "no running event loop");
}

#[test]
fn a_program_that_cannot_be_started_is_named_and_so_is_its_directory() {
    test(async {
        let refused = create_subprocess(&mut Command::new("no-such-program")).unwrap_err();
        let text = "spawn no-such-program: No such file or directory (os error 2)";
        assert_eq!(refused.to_string(), text);
        let Error::Io(refused) = refused else { panic!("{refused:?}") };
        assert_eq!((refused.kind(), errno(&refused)), (ErrorKind::NotFound, Some(libc::ENOENT)));
        let mut elsewhere = Command::new("true");
        let refused = create_subprocess(elsewhere.current_dir("/no/such")).unwrap_err();
        let text = "spawn true in /no/such: No such file or directory (os error 2)";
        assert_eq!(refused.to_string(), text);
        let refused = create_subprocess(&mut Command::new("/etc/passwd")).unwrap_err();
        assert!(refused.to_string().starts_with("spawn /etc/passwd: Permission denied"));
        let refused = create_subprocess(&mut Command::new("a\0b")).unwrap_err();
        assert!(refused.to_string().starts_with("spawn "), "{refused}");
        Ok(())
    });
}
