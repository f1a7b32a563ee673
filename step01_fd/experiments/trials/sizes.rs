//! Trials of `read` and `write`: buffers of every size, up to a size that doesn't fit into 32 bits.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::ptr;

use scene::{Program, Transcript, say, trial};
use step01_fd::{pipe, read, write};

use super::answer::{count, outcome};

/// Zeros that take up no memory until they're overwritten.
struct Zeros {
    start: *mut libc::c_void,
    length: usize,
}

impl Zeros {
    /// Returns `None` if the system won't promise this much memory.
    fn new(length: usize) -> Option<Zeros> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the kernel chooses an address where nothing is.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, access, kind, -1, 0) };
        (start != libc::MAP_FAILED).then_some(Zeros { start, length })
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is ours alone, has this length, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.length) }
    }
}

impl Drop for Zeros {
    fn drop(&mut self) {
        // SAFETY: the memory is ours, and the last borrow of it is over.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

/// The largest size, which doesn't fit into 32 bits.
const MOST: usize = (1 << 32) + 5;

/// Returns the powers of two and their neighbours, up to [`MOST`].
fn sizes() -> impl Iterator<Item = usize> {
    let beside = (0..=32).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    beside.chain([(1 << 31) - 4096, (1 << 32) + 4, MOST])
}

trial!(buffers_of_every_size, 1, "A read offers the kernel the whole buffer, however large it is.");
fn buffers_of_every_size(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let Some(mut zeros) = Zeros::new(MOST) else { return Ok(()) };
    for size in program.verbs(sizes()) {
        let (reader, writer) = pipe()?;
        File::from(writer).write_all(&[b'x'; 100])?;
        let buffer = &mut zeros.bytes()[..size];
        let answer = outcome(&read(&reader, buffer));
        let all_read = buffer.iter().take(101).filter(|&&byte| byte == b'x').count();
        zeros.bytes()[..100].fill(0);
        let read = format!("{answer}, and the buffer has {}", count(all_read, "byte"));
        say!(t, "read up to {} from a pipe with 100 bytes: {read}", count(size, "byte"));
    }
    let endless = File::open("/dev/zero")?;
    for size in program.verbs([(1 << 20) + 1, (1 << 22) + 1, (1 << 24) + 1]) {
        let answer = outcome(&read(&endless, &mut zeros.bytes()[..size]));
        say!(t, "read up to {} from /dev/zero: {answer}", count(size, "byte"));
    }
    Ok(())
}

trial!(
    slices_of_every_size,
    1,
    "A write offers the kernel all bytes, however many there are, and sends even an empty datagram."
);
fn slices_of_every_size(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let Some(mut zeros) = Zeros::new(MOST) else { return Ok(()) };
    let null: OwnedFd = File::options().write(true).open("/dev/null")?.into();
    for size in program.verbs(sizes()) {
        let answer = outcome(&write(&null, &zeros.bytes()[..size]));
        say!(t, "write {} to /dev/null: {answer}", count(size, "byte"));
    }
    for size in program.verbs([0, 1, 5, 0, 4096, 0]) {
        let (near, far) = UnixDatagram::pair()?;
        near.set_nonblocking(true)?;
        far.set_nonblocking(true)?;
        let answer = outcome(&write(&near, &vec![b'x'; size]));
        let mut arrived = Vec::new();
        while let Ok(length) = far.recv(&mut [0; 8192]) {
            arrived.push(length);
        }
        say!(
            t,
            "write {} to a datagram socket: {answer}; lengths of the datagrams: {arrived:?}",
            count(size, "byte")
        );
    }
    Ok(())
}
