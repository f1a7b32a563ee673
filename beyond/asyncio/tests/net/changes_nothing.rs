//! A call that's refused, because of its arguments or its place, changes nothing.

use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::common::error_without_a_loop;
use asyncio::{ServerOptions, UdpSocket, open_connection_on, run, start_unix_server};
use kit::limit_time;
use rustix::fs::{OFlags, fcntl_getfl};

fn blocks(socket: impl AsFd) -> bool {
    !fcntl_getfl(socket).unwrap().contains(OFlags::NONBLOCK)
}

/// A listener of another program, at a path.
fn listener_at(name: &str) -> (PathBuf, UnixListener) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    (path, listener)
}

#[test]
fn a_server_without_a_loop_leaves_what_is_at_its_path() {
    limit_time();
    let (path, _listener) = listener_at("without_a_loop");
    let refused = error_without_a_loop(start_unix_server(|_, _| async { Ok(()) }, &path));
    assert_eq!(refused.to_string(), "no running event loop");
    assert!(UnixStream::connect(&path).is_ok(), "the other program still listens");
}

#[test]
fn a_server_with_a_limit_of_zero_leaves_what_is_at_its_path() {
    limit_time();
    let (path, _listener) = listener_at("limit_of_zero");
    let place = path.clone();
    run(async move {
        let options = ServerOptions { limit: 0, ..ServerOptions::default() };
        assert!(options.start_unix_server(|_, _| async { Ok(()) }, &place).await.is_err());
        Ok(())
    })
    .unwrap();
    assert!(UnixStream::connect(&path).is_ok(), "the other program still listens");
}

/// A path that's too long for an address can still have a socket, bound from its own
/// directory.
#[test]
fn a_server_at_a_path_that_is_too_long_leaves_what_is_there() {
    limit_time();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("d".repeat(150));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("socket");
    let _ = std::fs::remove_file(&path);
    // Linux takes the long way through the descriptor of the directory.
    let opened = std::fs::File::open(&directory).unwrap();
    let fd = std::os::fd::AsRawFd::as_raw_fd(&opened);
    let short = format!("/proc/self/fd/{fd}/socket");
    let _listener = UnixListener::bind(&short).unwrap();
    let place = path.clone();
    let refused =
        run(async move { start_unix_server(|_, _| async { Ok(()) }, &place).await.map(drop) });
    assert!(refused.unwrap_err().to_string().starts_with("bind to /"));
    assert!(path.exists(), "the other program's socket is still there");
    assert!(UnixStream::connect(&short).is_ok());
}

#[test]
fn a_socket_that_no_loop_takes_still_blocks() {
    limit_time();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let kept = ours.try_clone().unwrap();
    assert_eq!(open_connection_on(ours).unwrap_err().to_string(), "no running event loop");
    assert!(blocks(&kept));
    let ours = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let kept = ours.try_clone().unwrap();
    assert_eq!(UdpSocket::from_std(ours).unwrap_err().to_string(), "no running event loop");
    assert!(blocks(&kept));
}
