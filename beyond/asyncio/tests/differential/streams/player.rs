//! Plays a conversation on our loop. `player.py` does the same, line by line.

use std::cell::{Cell, RefCell};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    Error, EventLoop, IncompleteReadError, LimitOverrunError, Result, StreamReader, StreamWriter,
    VirtualClock, create_task, open_connection_on, sleep, yield_now,
};

use super::program::{Action, PeerAction, Program};

struct Stage {
    lines: RefCell<Vec<String>>,
    /// Keeps deadlines apart.
    timers: Cell<u64>,
}

impl Stage {
    fn say(&self, line: &str) {
        self.lines.borrow_mut().push(line.to_owned());
    }

    /// Returns a delay that differs from all others; no sum of delays equals another sum.
    fn delay(&self, milliseconds: u64) -> Duration {
        self.timers.set(self.timers.get() + 1);
        let mixed = self.timers.get().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Duration::from_millis(milliseconds) + Duration::from_nanos(mixed >> 45)
    }
}

/// Returns the lines that the conversation prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let stage = Rc::new(Stage { lines: RefCell::default(), timers: Cell::new(0) });
    event_loop.run_until_complete(converse(Rc::clone(&stage), program.clone())).unwrap();
    event_loop.close().unwrap();
    stage.lines.take()
}

async fn converse(stage: Rc<Stage>, program: Program) -> Result<()> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let (mut reader, writer) = open_connection_on(ours)?;
    reader.set_limit(program.limit)?;
    let peer = create_task(be_the_peer(Rc::clone(&stage), program.peer, theirs))?;
    let task = create_task(read_and_write(Rc::clone(&stage), program.task, reader, writer))?;
    for delay in program.cancel {
        sleep(stage.delay(delay)).await?;
        stage.say(&format!("cancel: {}", task.cancel()));
    }
    sleep(Duration::from_secs(10)).await?;
    for _ in 0..20 {
        if !task.done() {
            stage.say("it still waits");
            task.cancel();
            sleep(Duration::from_secs(10)).await?;
        }
    }
    let mut theirs = peer.await?;
    take(&stage, Rc::get_mut(&mut theirs).unwrap());
    Ok(())
}

async fn be_the_peer(
    stage: Rc<Stage>,
    actions: Vec<(u64, PeerAction)>,
    mut socket: UnixStream,
) -> Result<Rc<UnixStream>> {
    for (delay, action) in actions {
        sleep(stage.delay(delay)).await?;
        match action {
            PeerAction::Send(text) => {
                let bytes = text.replace('/', "\n").into_bytes();
                // The task may have closed the connection.
                let _ = socket.write(&bytes);
            }
            PeerAction::Take => take(&stage, &mut socket),
            PeerAction::End => drop(socket.shutdown(Shutdown::Write)),
        }
        // The loop sees what has happened before its clock jumps.
        for _ in 0..3 {
            yield_now().await?;
        }
    }
    Ok(Rc::new(socket))
}

fn take(stage: &Stage, socket: &mut UnixStream) {
    let mut bytes = Vec::new();
    let has_ended = match socket.read_to_end(&mut bytes) {
        Ok(_) => "the end",
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => "open",
        Err(_) => "reset",
    };
    stage.say(&format!("the peer takes {} bytes: {has_ended}", bytes.len()));
}

async fn read_and_write(
    stage: Rc<Stage>,
    actions: Vec<(u64, Action)>,
    mut reader: StreamReader,
    writer: StreamWriter,
) -> Result<()> {
    for (delay, action) in actions {
        if sleep(stage.delay(delay)).await.is_err() {
            stage.say("cancelled in a sleep");
        }
        let outcome = act(&action, &mut reader, &writer).await;
        let said = outcome.unwrap_or_else(|error| describe(&error));
        stage.say(&format!("{action} {said}"));
        if matches!(action, Action::ReadToEnd | Action::WaitClosed) && said == "cancelled" {
            // Here the bytes that it had read are still there, and the task can wait again; asyncio
            // has lost them and cancels each further wait for the end at once.
            break;
        }
    }
    Ok(())
}

async fn act(action: &Action, reader: &mut StreamReader, writer: &StreamWriter) -> Result<String> {
    let read = match *action {
        Action::Readline => reader.readline().await?,
        Action::Read(count) => reader.read(count).await?,
        Action::ReadToEnd => reader.read_to_end().await?,
        Action::ReadExactly(count) => reader.read_exactly(count).await?,
        Action::ReadUntil(separator) => reader.read_until(separator.as_bytes()).await?,
        Action::AtEof => return Ok(reader.at_eof().to_string()),
        _ => {
            act_on(writer, action).await?;
            return Ok(format!("closing: {}", writer.is_closing()));
        }
    };
    Ok(shown(&read))
}

async fn act_on(writer: &StreamWriter, action: &Action) -> Result<()> {
    match *action {
        Action::Write(count) => writer.write(&vec![b'!'; count])?,
        Action::WriteLines(count) => writer.writelines(vec!["!!"; count])?,
        Action::Drain => writer.drain().await?,
        Action::WriteEof => writer.write_eof()?,
        Action::Close => writer.close(),
        _ => writer.wait_closed().await?,
    }
    Ok(())
}

fn shown(bytes: &[u8]) -> String {
    format!("<{}>", String::from_utf8_lossy(bytes).replace('\n', "/"))
}

fn describe(error: &Error) -> String {
    if let Some(incomplete) = IncompleteReadError::in_error(error) {
        return format!("{error}: {}", shown(&incomplete.partial));
    }
    if let Some(overrun) = LimitOverrunError::in_error(error) {
        return format!("{error}: {}", overrun.consumed);
    }
    if error.is_cancelled() {
        return "cancelled".to_owned();
    }
    error.to_string().replace("writelines()", "write()")
}
