//! Bytes that wait until the kernel has room for them.

use scene::{Transcript, say, scene};
use step01_fd::{Outbox, Read, pipe_with_capacity, read};

use super::pipes::page_size;

scene!(
    slow_reader,
    "Three pages are flushed into a pipe that holds one. What does flush return, and how much is left?"
);
/// `flush again, nothing was read:   false, 2 pages or more left`: the pipe of one page is full, so
/// the kernel takes nothing, and `flush` returns instead of sleeping. When reads and flushes take
/// turns, everything arrives in order, since the outbox removes only the bytes that the kernel has
/// taken. That's why an error loses nothing either:
/// `flush 5, reading end closed:     Some(BrokenPipe), 5 bytes left`.
fn slow_reader(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe_with_capacity(1)?;
    let page = page_size()?;
    let message: Vec<u8> = (0..3 * page).map(|index| (index % 251).to_le_bytes()[0]).collect();
    let mut outbox = Outbox::new();
    outbox.push(&message);
    let mut flush = |when: &str| -> anyhow::Result<()> {
        let flushed = outbox.flush(&writer)?;
        // How much of a page fits depends on the size of the pieces that were offered.
        let left = if outbox.len() < 2 * page { "less than 2 pages" } else { "2 pages or more" };
        say!(t, "{when} {}, {} left", flushed, left);
        Ok(())
    };
    flush("flush 3 pages, a pipe of 1 page:")?;
    flush("flush again, nothing was read:  ")?;

    let mut received = Vec::new();
    let mut buffer = vec![0; page];
    while let Read::Bytes(count) = read(&reader, &mut buffer)? {
        received.extend_from_slice(&buffer[..count]);
        outbox.flush(&writer)?;
    }
    say!(t, "read and flush in turns:         {} bytes left", outbox.len());
    say!(t, "all bytes arrive in order:       {}", received == message);
    drop(reader);
    outbox.push(b"hello");
    let error = outbox.flush(&writer).err().map(|error| error.kind());
    say!(t, "flush 5, reading end closed:     {:?}, {} bytes left", error, outbox.len());
    Ok(())
}
