//! Plays the story of a server and its clients from beginning to end.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use anyhow::Result;
use asyncio::EventLoop;

use crate::clients::Clients;
use crate::for_servers::playing;
use crate::seen::{Outcome, Played};
use crate::story::Story;
use crate::watchdog::Watchdog;
use crate::{Serve, ticks};

/// Selects whether the loop's ticks are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traced {
    /// The ticks aren't recorded, but `WORKBOOK_TRACE` works as it does in any other program on the
    /// loop.
    No,
    /// The ticks are recorded as text.
    Ticks,
}

/// Runs a server, plays the story of its clients, and returns the story as it was played. The story
/// ends early if the server does. Fails if the clients can't make their moves, for example because
/// the server never lets the loop sleep. A fault that the story reveals isn't an error but the
/// story's outcome.
pub fn play(serve: Serve, story: Story, traced: Traced) -> Result<Played> {
    let socket = SocketFile::new();
    let clients = Clients::new(socket.0.clone(), story.moves);
    let event_loop = EventLoop::with_clock(clients.clone())?;
    let recorded = Rc::new(RefCell::new(String::new()));
    if traced == Traced::Ticks {
        let (recorded, told) = (Rc::clone(&recorded), clients.clone());
        event_loop.set_trace(move |tick| {
            *recorded.borrow_mut() += &ticks::described(tick, &told.news());
        });
    }
    let reported = clients.clone();
    event_loop.set_exception_handler(move |context| {
        reported.note(format!("the server reports an error: {context}"));
    });
    let watchdog = Watchdog::start(Arc::clone(&clients.turns));
    playing(&clients, || run(&event_loop, serve(socket.0.clone()), &clients))?;
    drop(watchdog);

    *recorded.borrow_mut() += &ticks::story(&clients.news());
    let mut seen = clients.seen();
    if let Some(error) = seen.failed.take() {
        return Err(error);
    }
    let mut played = Played { seen, ticks: recorded.take(), outcome: Outcome::AllIsWell };
    let symptom = (story.symptom)(&played).map(Outcome::Symptom);
    let missing = || (story.missing)(&played).map(Outcome::Missing);
    played.outcome = symptom.or_else(missing).unwrap_or(Outcome::AllIsWell);
    Ok(played)
}

/// Runs the server until the story is over or the server has ended.
fn run(
    event_loop: &EventLoop,
    server: impl Future<Output = asyncio::Result<()>> + 'static,
    clients: &Clients,
) -> Result<()> {
    let server = event_loop.create_task(server);
    server.set_name("server");
    let (stopper, watching) = (event_loop.clone(), clients.clone());
    server.add_done_callback(move |ended| {
        watching.note(match ended.result() {
            Ok(()) => "the server has ended".to_owned(),
            Err(error) => format!("the server has failed: {error}"),
        });
        stopper.stop();
    });
    event_loop.run_forever()?;
    event_loop.clear_trace();
    // The remaining tasks are dropped, not cancelled, because a task might ignore its cancellation.
    event_loop.set_exception_handler(|_| {});
    event_loop.close()?;
    Ok(())
}

/// The path of a Unix socket. Dropping this value removes the socket's file.
struct SocketFile(PathBuf);

impl SocketFile {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(1);
        // Relaxed: each addition returns a different value, and no other data depends on it.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("broken_servers-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        // A killed process that had the same ID may have left its file behind.
        let _ = fs::remove_file(&path);
        SocketFile(path)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // If the server failed before it bound its socket, there's no file to remove.
        let _ = fs::remove_file(Path::new(&self.0));
    }
}
