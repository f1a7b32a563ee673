//! Trials of `flush`: the bytes that are left in the outbox after an error.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};

use kit::cost::within;
use kit::objects::own;
use kit::{Observer, Refusal, errno_name, lasting_errnos};
use scene::{Program, Transcript, say, trial};
use step01_fd::{Outbox, check, pipe, pipe_with_capacity};

use super::answer::{count, outcome};
use super::pattern::pattern;
use crate::scenes::page_size;

/// A failure while 3 pages are flushed.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    /// There's no reader.
    NoReader,
    /// A sealed file takes this many pages and refuses the rest with EPERM.
    SealedFile { pages: usize },
}

/// The layout of the unsent bytes in memory.
const PIECES: [(bool, &str); 2] = [(false, ""), (true, " in two pieces of memory")];

trial!(
    outbox_after_errors,
    1,
    "After an error, the outbox holds exactly the unwritten bytes and can send them elsewhere."
);
fn outbox_after_errors(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let page = page_size()?;
    refused_once(program, t)?;
    let files = (0..4).map(|pages| Trouble::SealedFile { pages });
    let troubles = [Trouble::NoReader].into_iter().chain(files);
    let troubles = troubles.flat_map(|trouble| PIECES.map(|pieces| (trouble, pieces)));
    for (trouble, (is_in_two_pieces, pieces)) in program.verbs(troubles) {
        let mut outbox = three_pages(is_in_two_pieces)?;
        let (what, error) = match trouble {
            Trouble::NoReader => {
                let (_, writer) = pipe()?;
                ("to a pipe without a reader".to_owned(), outcome(&outbox.flush(&writer)))
            }
            Trouble::SealedFile { pages } => {
                let file = sealed_file(pages * page)?;
                let what = format!("to a file that takes {}", count(pages, "page"));
                (what, outcome(&outbox.flush(&file)))
            }
        };
        let left = count(outbox.len(), "byte");
        say!(t, "flush 3 pages{pieces} {what}: {error}; {left} left");
        say!(t, "  then to another pipe: {}", sent_elsewhere(outbox, 3 * page)?);
    }
    Ok(())
}

/// Flushes while the kernel refuses the first write, or the write after a page. EAGAIN isn't an
/// error.
fn refused_once(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let page = page_size()?;
    let refused = lasting_errnos()
        .flat_map(|errno| [0, 1].map(|pages| (errno, pages)))
        .zip(PIECES.into_iter().chain([PIECES[1], PIECES[0]]).cycle());
    let observer = Observer::new()?;
    for ((errno, pages), (is_in_two_pieces, pieces)) in program.verbs(refused) {
        let mut outbox = three_pages(is_in_two_pieces)?;
        let (_reader, writer) = pipe_with_capacity(1)?;
        let refusals =
            [libc::SYS_write, libc::SYS_writev].map(|call| Refusal { call, argument: None, errno });
        let flush = || outbox.flush(&writer);
        let (flushed, calls) = observer.refusing(&refusals, pages, flush);
        let after = if pages == 0 { "" } else { " after a page" };
        let (name, flushed) = (errno_name(errno), outcome(&flushed));
        say!(t, "flush 3 pages{pieces}, when write(2) fails once with {name}{after}: {flushed}");
        let (calls, left) = (within(calls, pages + 1), count(outbox.len(), "byte"));
        say!(t, "  system calls: {calls}; {left} left");
        say!(t, "  then to another pipe: {}", sent_elsewhere(outbox, 3 * page)?);
    }
    Ok(())
}

/// Returns an outbox with the first three pages of the pattern.
fn three_pages(in_two_pieces: bool) -> anyhow::Result<Outbox> {
    let page = page_size()?;
    let mut outbox = if in_two_pieces { self::in_two_pieces(page)? } else { Outbox::new() };
    outbox.push(pattern(outbox.len(), 3 * page - outbox.len()));
    Ok(outbox)
}

/// Returns an outbox that holds the pattern's first page, after 2 earlier pages were flushed.
/// The next 2 pages are before it in a ring of memory, unless the layer has moved the bytes.
fn in_two_pieces(page: usize) -> anyhow::Result<Outbox> {
    let mut outbox = Outbox::new();
    outbox.push(&[&vec![b'x'; 2 * page], pattern(0, page)].concat());
    // Fails after 2 pages.
    let _ = outbox.flush(sealed_file(2 * page)?);
    Ok(outbox)
}

/// Makes a file of this size that can't grow.
fn sealed_file(size: usize) -> anyhow::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a C string, which the kernel copies.
    let file = own("memfd_create", unsafe { libc::memfd_create(c"sealed".as_ptr(), flags) })?;
    let file = File::from(file);
    file.set_len(size as u64)?;
    // SAFETY: F_ADD_SEALS takes an integer and touches no memory of ours.
    let sealed = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_GROW) };
    check(sealed, || "fcntl F_ADD_SEALS".to_owned())?;
    Ok(file.into())
}

/// Flushes to a new pipe and says whether the last of the `all` bytes arrive there.
fn sent_elsewhere(mut outbox: Outbox, all: usize) -> anyhow::Result<String> {
    let (reader, writer) = pipe()?;
    let left = outbox.len();
    let flushed = outcome(&outbox.flush(&writer));
    drop(writer);
    let mut received = Vec::new();
    File::from(reader).read_to_end(&mut received)?;
    let is_right = all.checked_sub(left).map(|start| pattern(start, left)) == Some(&received);
    Ok(format!(
        "{flushed}, {}",
        if is_right { "and the bytes arrive" } else { "but other bytes arrive" }
    ))
}
