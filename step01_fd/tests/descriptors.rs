//! Properties of descriptors that no scene shows.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use step01_fd::{
    CallError, Kind, Outbox, Read, Written, check, errno, open_descriptors, pipe,
    pipe_with_capacity, read, set_nonblocking, socketpair, what_is, write,
};

#[test]
fn an_empty_buffer_reads_no_bytes_and_is_not_the_end() {
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"hello").unwrap();
    assert_eq!(read(&reader, &mut []).unwrap(), Read::Bytes(0));
    assert_eq!(read(&reader, &mut [0; 9]).unwrap(), Read::Bytes(5));
}

#[test]
fn an_empty_write_takes_no_bytes_and_is_not_an_error() {
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
fn writing_to_a_socket_whose_peer_is_gone_fails_with_broken_pipe() {
    let (left, right) = socketpair().unwrap();
    drop(right);
    assert_eq!(write(&left, b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn an_error_keeps_its_errno_and_its_kind() {
    let directory = File::open("/").unwrap();
    let error = read(&directory, &mut [0; 8]).unwrap_err();
    assert_eq!(errno(&error), Some(libc::EISDIR));
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn set_nonblocking_changes_only_that_flag() {
    let file = File::options().append(true).open("/dev/null").unwrap();
    let flags = || {
        let path = format!("/proc/self/fdinfo/{}", file.as_raw_fd());
        std::fs::read_to_string(path).unwrap()
    };
    let before = flags();
    set_nonblocking(&file, true).unwrap();
    let non_blocking = flags();
    assert_ne!(non_blocking, before);
    set_nonblocking(&file, true).unwrap();
    assert_eq!(flags(), non_blocking, "set twice is set");
    set_nonblocking(&file, false).unwrap();
    assert_eq!(flags(), before);
    set_nonblocking(&file, false).unwrap();
    assert_eq!(flags(), before, "cleared twice is cleared");
}

#[test]
fn open_descriptors_lists_what_is_open_and_nothing_else() {
    let (reader, _writer) = pipe().unwrap();
    let fd = reader.as_raw_fd();
    let kind = what_is(&reader).unwrap();
    assert!(open_descriptors().unwrap().contains(&(fd, kind.clone())));
    drop(reader);
    assert!(!open_descriptors().unwrap().contains(&(fd, kind)));
}

#[test]
fn parse_is_for_links_of_other_processes_too() {
    let link = std::fs::read_link("/proc/thread-self/fd/1").unwrap();
    assert_eq!(step01_fd::parse(&link), what_is(io::stdout()).unwrap());
}

#[test]
fn a_device_is_known_by_its_path() {
    let null = File::open("/dev/null").unwrap();
    assert_eq!(what_is(&null).unwrap(), Kind::Path("/dev/null".into()));
}

#[test]
fn other_objects_are_described_in_the_kernels_words() {
    let namespace = File::open("/proc/self/ns/net").unwrap();
    let kind = what_is(&namespace).unwrap();
    assert!(matches!(&kind, Kind::Other(text) if text.starts_with("net:[")), "{kind:?}");
}

#[test]
fn a_file_whose_path_looks_like_a_pipe_is_a_file() {
    let path = std::env::temp_dir().join(format!("pipe:[{}]", std::process::id()));
    let file = File::create(&path).unwrap();
    let kind = what_is(&file);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(kind.unwrap(), Kind::Path(path));
}

#[test]
fn a_kind_is_printed_as_the_kernel_prints_it() {
    let (reader, _writer) = pipe().unwrap();
    let (socket, _other) = socketpair().unwrap();
    for fd in [&reader, &socket] {
        let link = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap();
        assert_eq!(what_is(fd).unwrap().to_string(), link.to_str().unwrap());
    }
    assert_eq!(Kind::AnonInode("eventpoll".to_string()).to_string(), "anon_inode:[eventpoll]");
    assert_eq!(Kind::Path("/dev/null".into()).to_string(), "/dev/null");
    assert_eq!(Kind::Other("net:[7]".to_string()).to_string(), "net:[7]");
}

#[test]
fn an_error_says_which_call_failed_and_why() {
    let error = CallError::wrap("read fd 9", io::Error::from_raw_os_error(libc::EBADF));
    assert_eq!(error.to_string(), "read fd 9: Bad file descriptor (os error 9)");
    assert_eq!(errno(&error), Some(libc::EBADF));
}

#[test]
fn check_returns_what_a_successful_call_returned() {
    assert_eq!(check(7, || "never called".to_string()).unwrap(), 7);
    assert_eq!(check(0, || "never called".to_string()).unwrap(), 0);
}

#[test]
fn a_pipe_has_the_requested_room() {
    let (reader, writer) = pipe_with_capacity(100_000).unwrap();
    assert_eq!(write(&writer, &vec![b'x'; 100_000]).unwrap(), Written::Bytes(100_000));
    assert_eq!(read(&reader, &mut [0; 8]).unwrap(), Read::Bytes(8));
}

#[test]
fn sending_keeps_the_order_and_what_the_pipe_does_not_take() {
    let (reader, writer) = pipe_with_capacity(1).unwrap();
    let room = room_of(&writer).unwrap();
    let (first, second, third) = (vec![1; room - 96], vec![2; 1000], vec![3; 10]);
    let mut outbox = Outbox::new();
    assert!(outbox.send(&writer, &first).unwrap(), "there is room for all of it");
    assert!(outbox.is_empty());
    assert!(!outbox.send(&writer, &second).unwrap(), "96 bytes fit at most");
    let kept = outbox.len();
    assert!(kept >= 904);
    assert!(!outbox.send(&writer, &third).unwrap(), "nothing overtakes what's unsent");
    assert_eq!(outbox.len(), kept + 10);
    let received = receive_all(&mut outbox, &reader, &writer).unwrap();
    assert_eq!(received, [first, second, third].concat());
}

#[test]
fn an_outbox_keeps_what_was_pushed_until_it_is_written() {
    let (reader, writer) = pipe().unwrap();
    let mut outbox = Outbox::new();
    assert!(outbox.is_empty());
    assert!(outbox.flush(&writer).unwrap(), "nothing is unsent");
    outbox.push(b"hel");
    outbox.push(b"lo");
    assert_eq!(outbox.len(), 5);
    assert!(!outbox.is_empty());
    assert!(outbox.flush(&writer).unwrap());
    assert!(outbox.is_empty());
    let mut buffer = [0; 16];
    assert_eq!(read(&reader, &mut buffer).unwrap(), Read::Bytes(5));
    assert_eq!(&buffer[..5], b"hello");
}

#[test]
fn an_outbox_that_has_wrapped_around_sends_in_order() {
    let (reader, writer) = pipe_with_capacity(1).unwrap();
    let mut outbox = Outbox::new();
    let mut sent = Vec::new();
    let mut received = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    // Pushing a little more than is read each time moves the ring around its end.
    for round in 0..200_u32 {
        let piece: Vec<u8> = (round * 700..(round + 1) * 700).flat_map(u32::to_le_bytes).collect();
        outbox.push(&piece);
        sent.extend(piece);
        outbox.flush(&writer).unwrap();
        if let Read::Bytes(count) = read(&reader, &mut buffer).unwrap() {
            received.extend_from_slice(&buffer[..count]);
        }
    }
    received.extend(receive_all(&mut outbox, &reader, &writer).unwrap());
    assert!(outbox.is_empty());
    assert!(received == sent, "everything arrives, in order");
}

/// Reads and flushes in turns until there's nothing to read.
fn receive_all(outbox: &mut Outbox, reader: &OwnedFd, writer: &OwnedFd) -> io::Result<Vec<u8>> {
    let mut received = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        outbox.flush(writer)?;
        match read(reader, &mut buffer)? {
            Read::Bytes(count) if count > 0 => received.extend_from_slice(&buffer[..count]),
            _ => return Ok(received),
        }
    }
}

fn room_of(writer: &OwnedFd) -> io::Result<usize> {
    // SAFETY: F_GETPIPE_SZ takes no argument and touches no memory of ours.
    let room = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) };
    let room = check(room, || "fcntl F_GETPIPE_SZ".to_string())?;
    usize::try_from(room).map_err(io::Error::other)
}
