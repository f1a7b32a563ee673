//! Trials of `flush`: what it leaves behind after an error.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};

use kit::Refusal;
use kit::objects::own;
use scene::{Program, Transcript, say, trial};
use step01_fd::{Outbox, check, pipe};

use super::answer::{ERRORS, count, name, outcome};
use super::pattern::pattern;
use crate::scenes::page_size;

/// Something that goes wrong while 3 pages are flushed.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    /// The kernel refuses every write. EAGAIN isn't an error.
    Refused(i32),
    /// There's no reader.
    NoReader,
    /// A sealed file takes this many pages, and refuses the rest with EPERM.
    SealedFile { pages: usize },
}

/// Returns every trouble, each with an outbox whose bytes lie in one piece and with one whose bytes
/// lie in two.
fn troubles() -> impl Iterator<Item = (Trouble, bool)> {
    let refused = ERRORS.iter().chain(&[libc::EAGAIN]).copied().map(Trouble::Refused);
    let files = (0..4).map(|pages| Trouble::SealedFile { pages });
    let all = refused.chain([Trouble::NoReader]).chain(files);
    all.flat_map(|trouble| [(trouble, false), (trouble, true)])
}

trial!(
    outbox_after_errors,
    1,
    "After an error, the outbox has exactly what wasn't written, and can send it elsewhere."
);
fn outbox_after_errors(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let page = page_size()?;
    for (trouble, is_in_two_pieces) in program.verbs(troubles()) {
        let mut outbox = if is_in_two_pieces { in_two_pieces(page)? } else { Outbox::new() };
        outbox.push(pattern(outbox.len(), 3 * page - outbox.len()));
        let (what, error) = match trouble {
            Trouble::Refused(errno) => {
                let (_reader, writer) = pipe()?;
                let refusal = Refusal { call: libc::SYS_write, argument: None, errno };
                let flushed = refusal.during(|| outbox.flush(&writer))?;
                (format!("while write(2) fails with {}", name(errno)), outcome(&flushed))
            }
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
        let pieces = if is_in_two_pieces { " in two pieces of memory" } else { "" };
        let left = count(outbox.len(), "byte");
        say!(t, "flush 3 pages{pieces} {what}: {error}; {left} left");
        say!(t, "  then to another pipe: {}", sent_elsewhere(outbox, 3 * page)?);
    }
    Ok(())
}

/// Returns an outbox with the first page of the pattern, in front of which 2 pages were flushed. The
/// next 2 pages are before it in a ring of memory, unless the layer has moved the bytes.
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

/// Flushes to a new pipe, and says whether the last ones of `all` bytes arrive there.
fn sent_elsewhere(mut outbox: Outbox, all: usize) -> anyhow::Result<String> {
    let (reader, writer) = pipe()?;
    let left = outbox.len();
    let flushed = outcome(&outbox.flush(&writer));
    drop(writer);
    let mut received = Vec::new();
    File::from(reader).read_to_end(&mut received)?;
    let is_right = all.checked_sub(left).map(|start| pattern(start, left)) == Some(&received);
    Ok(format!("{flushed}, {}", if is_right { "and they arrive" } else { "and others arrive" }))
}
