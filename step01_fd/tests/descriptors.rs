//! What no scene tells about descriptors.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use step01_fd::{
    Kind, Read, Written, errno, open_descriptors, pipe, read, set_nonblocking, socketpair, what_is,
    write,
};

#[test]
fn an_empty_buffer_reads_no_bytes_and_is_not_the_end() {
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"hello").unwrap();
    assert_eq!(read(&reader, &mut []).unwrap(), Read::Bytes(0));
    assert_eq!(read(&reader, &mut [0; 9]).unwrap(), Read::Bytes(5));
}

#[test]
fn an_empty_write_takes_no_bytes_and_is_no_error() {
    let (_reader, writer) = pipe().unwrap();
    assert_eq!(write(&writer, b"").unwrap(), Written::Bytes(0));
}

#[test]
fn a_pair_carries_bytes_both_ways() {
    let (left, right) = socketpair().unwrap();
    let mut buffer = [0; 8];
    write(&left, b"ping").unwrap();
    assert_eq!(read(&right, &mut buffer).unwrap(), Read::Bytes(4));
    write(&right, b"pong!").unwrap();
    assert_eq!(read(&left, &mut buffer).unwrap(), Read::Bytes(5));
    assert_eq!(&buffer[..5], b"pong!");
}

#[test]
fn a_write_to_a_socket_whose_peer_is_gone_is_a_broken_pipe() {
    let (left, right) = socketpair().unwrap();
    drop(right);
    assert_eq!(write(&left, b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn an_error_names_the_call_and_keeps_the_number() {
    let directory = File::open("/").unwrap();
    let error = read(&directory, &mut [0; 8]).unwrap_err();
    assert_eq!(errno(&error), Some(libc::EISDIR));
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn set_nonblocking_changes_that_flag_alone() {
    let file = File::options().append(true).open("/dev/null").unwrap();
    let flags = || {
        let path = format!("/proc/self/fdinfo/{}", file.as_raw_fd());
        std::fs::read_to_string(path).unwrap()
    };
    let before = flags();
    set_nonblocking(&file, true).unwrap();
    assert_ne!(flags(), before);
    set_nonblocking(&file, false).unwrap();
    assert_eq!(flags(), before);
}

#[test]
fn open_descriptors_lists_what_is_open_and_nothing_else() {
    let (reader, _writer) = pipe().unwrap();
    let number = reader.as_raw_fd();
    let kind = what_is(&reader).unwrap();
    assert!(open_descriptors().unwrap().contains(&(number, kind.clone())));
    drop(reader);
    assert!(!open_descriptors().unwrap().contains(&(number, kind)));
}

#[test]
fn a_device_is_known_by_its_path() {
    let null = File::open("/dev/null").unwrap();
    assert_eq!(what_is(&null).unwrap(), Kind::Path("/dev/null".into()));
}
