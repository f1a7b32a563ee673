//! Listens to a scene's process: to both of its output streams, and for its end.

use std::io::Read;
use std::process::Child;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// What is heard from the process.
#[derive(Debug)]
pub(crate) enum News {
    /// Bytes came on a stream.
    Wrote(Stream, Vec<u8>),
    /// A stream has come to its end.
    Closed(Stream),
    /// The process has ended. It is not reaped yet.
    Ended,
}

/// Which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// Starts to listen. The threads end by themselves, once there is nothing left to hear or nobody
/// left to tell.
pub(crate) fn listen(child: &mut Child, pid: Pid) -> Receiver<News> {
    // Bounded, so that a scene that floods us waits in its write, and does not fill our memory.
    let (tell, news) = sync_channel(16);
    if let Some(out) = child.stdout.take() {
        let tell = tell.clone();
        thread::spawn(move || forward(out, Stream::Out, &tell));
    }
    if let Some(err) = child.stderr.take() {
        let tell = tell.clone();
        thread::spawn(move || forward(err, Stream::Err, &tell));
    }
    thread::spawn(move || {
        await_end(pid);
        let _ = tell.send(News::Ended);
    });
    news
}

fn forward(mut from: impl Read, stream: Stream, tell: &SyncSender<News>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                if tell.send(News::Wrote(stream, buffer[..n].to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => (),
            Err(_) => break,
        }
    }
    let _ = tell.send(News::Closed(stream));
}

/// Waits without reaping: until the group has been killed, its number must not be anybody else's.
fn await_end(pid: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
}
