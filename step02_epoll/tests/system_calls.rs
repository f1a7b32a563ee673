//! The changes to an epoll object's interest list, counted by strace where it's installed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use kit::strace;

const EPOLL_CTL: [&str; 3] = ["-f", "-e", "trace=epoll_ctl"];

fn count(calls: &[String], operation: &str) -> usize {
    calls.iter().filter(|call| call.contains(operation)).count()
}

#[test]
fn three_messages_to_our_server_change_nothing() {
    let program = env!("CARGO_BIN_EXE_step02_epoll");
    let dir = env!("CARGO_TARGET_TMPDIR");
    let Some(calls) = strace::scene(program, "when_epoll_ctl_is_refused", &EPOLL_CTL, dir) else {
        return;
    };
    // The listener and the client are added. Only the answers that the client doesn't read need a
    // call, which is refused.
    assert_eq!(count(&calls, "EPOLL_CTL_ADD"), 2, "{calls:#?}");
    assert_eq!(count(&calls, "EPOLL_CTL_MOD"), 1, "{calls:#?}");
    assert_eq!(count(&calls, "EPERM"), 1, "{calls:#?}");
    assert_eq!(count(&calls, "epoll_ctl("), 3, "{calls:#?}");
}

#[test]
fn three_messages_over_an_asyncio_stream_change_nothing() {
    let messages = |count| asyncio_calls("stream_messages", count);
    let (Some(silent), Some(talking)) = (messages("0"), messages("3")) else { return };
    // The pair of sockets, the listener, and both sides of the connection.
    assert!(count(&silent, "EPOLL_CTL_ADD") >= 4, "{silent:#?}");
    assert_eq!(silent.len(), talking.len(), "{talking:#?}");
}

#[test]
fn sock_recv_registers_a_socket_only_if_nothing_is_there() {
    let bytes_come = |when| asyncio_calls("sock_recv", when);
    let (Some(before), Some(after)) = (bytes_come("before"), bytes_come("after")) else { return };
    assert_eq!(count(&after, "EPOLL_CTL_ADD"), count(&before, "EPOLL_CTL_ADD") + 3, "{after:#?}");
    assert_eq!(count(&after, "EPOLL_CTL_DEL"), count(&before, "EPOLL_CTL_DEL") + 3, "{after:#?}");
}

/// Returns the `epoll_ctl` calls of a program in `tests/python/facts/`, or `None` if Python or
/// strace can't run here.
fn asyncio_calls(program: &str, argument: &str) -> Option<Vec<String>> {
    let facts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/facts");
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{program}-{argument}.strace"));
    let mut strace = Command::new("strace");
    strace.args(EPOLL_CTL).arg("-qq").arg("-o").arg(&trace).args(["python3", "-I"]);
    strace.arg(facts.join(format!("{program}.py"))).arg(argument);
    let status = strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let traced = status.is_ok_and(|status| status.success());
    let text = traced.then(|| fs::read_to_string(&trace).ok()).flatten();
    if text.is_none() {
        println!("strace can't trace python3 here, so the calls of {program} weren't counted");
    }
    Some(text?.lines().map(str::to_owned).collect())
}
