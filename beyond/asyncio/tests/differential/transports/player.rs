//! Plays a program on our loop. `player.py` does the same, line by line.

use std::cell::{Cell, RefCell};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::LazyLock;

use asyncio::{Error, EventLoop, EventLoopExt as _, Future, Result, Transport};

use super::program::{Action, Program, Verb};
use super::protocol::Side;

/// Returns the bytes that each end writes: any part of them shows its place.
pub(crate) fn pattern(offset: usize, size: usize) -> &'static [u8] {
    static PATTERN: LazyLock<Vec<u8>> =
        LazyLock::new(|| (0..=250_u8).collect::<Vec<u8>>().repeat(5000));
    &PATTERN[offset % 251..][..size]
}

/// The ticks after the program: let it work, read whatever is paused, close, abort.
const QUIET: usize = 6;
const READ_ON: usize = 16;
const CLOSE: usize = 10;
const ABORT: usize = 4;

pub(crate) struct Stage {
    pub(crate) program: Program,
    event_loop: EventLoop,
    transports: RefCell<Vec<Transport>>,
    /// The number of bytes that each side has written.
    written: [Cell<usize>; 2],
    /// The number of bytes that were unsent after a side's last write.
    unsent: [Cell<usize>; 2],
    pub(crate) lost: [Cell<bool>; 2],
    tick: Cell<usize>,
    ended: Future<()>,
    lines: RefCell<Vec<String>>,
}

/// Returns what the program prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let event_loop = EventLoop::new().unwrap();
    let stage = Rc::new(Stage {
        program: program.clone(),
        event_loop: event_loop.clone(),
        transports: RefCell::default(),
        written: Default::default(),
        unsent: Default::default(),
        lost: Default::default(),
        tick: Cell::default(),
        ended: event_loop.create_future(),
        lines: RefCell::default(),
    });
    let reported = Rc::clone(&stage);
    event_loop.set_exception_handler(move |context| {
        let exception = context.exception.as_ref().map(ToString::to_string).unwrap_or_default();
        let exception = exception.trim_start_matches("panicked: ").to_owned();
        reported.say(&format!("report: {}: {exception}", context.message));
    });
    event_loop.run_until_complete(direct(Rc::clone(&stage))).unwrap();
    event_loop.close().unwrap();
    stage.transports.take();
    stage.lines.take()
}

async fn direct(stage: Rc<Stage>) -> Result<()> {
    let sockets: [UnixStream; 2] = UnixStream::pair()?.into();
    for (number, socket) in sockets.into_iter().enumerate() {
        let side = Side::new(number, Rc::clone(&stage));
        let (transport, _) = stage.event_loop.connect_accepted_socket(|| side, socket).await?;
        stage.transports.borrow_mut().push(transport);
    }
    next_tick(Rc::clone(&stage));
    stage.ended.clone().await
}

/// Acts in every tick, by a callback that schedules itself.
fn next_tick(stage: Rc<Stage>) {
    let event_loop = stage.event_loop.clone();
    event_loop.call_soon(move || {
        let now = stage.tick.get();
        stage.tick.set(now + 1);
        let after = now.wrapping_sub(stage.program.ticks.len());
        let verb = match after {
            QUIET => Some(Verb::Resume),
            after if after == QUIET + READ_ON => Some(Verb::Close),
            after if after == QUIET + READ_ON + CLOSE => Some(Verb::Abort),
            _ => None,
        };
        for side in 0..2 {
            if let Some(verb) = verb {
                stage.act(Action { side, verb, number: 0 });
            }
        }
        for action in stage.program.ticks.get(now).cloned().unwrap_or_default() {
            stage.act(action);
        }
        if after == QUIET + READ_ON + CLOSE + ABORT {
            stage.ended.set_result(()).unwrap();
        } else {
            next_tick(stage);
        }
    });
}

impl Stage {
    pub(crate) fn say(&self, line: &str) {
        self.lines.borrow_mut().push(format!("{}: {line}", self.tick.get()));
    }

    /// Acts on a transport, unless the transport is lost or hasn't been made yet.
    pub(crate) fn act(&self, action: Action) {
        let Action { side, verb, number } = action;
        let transport = self.transports.borrow().get(side).cloned();
        let Some(transport) = transport.filter(|_| !self.lost[side].get()) else { return };
        let is_skipped = is_write(verb) && self.is_partly_sent(side, &transport);
        let done = match verb {
            _ if is_skipped => Ok(()),
            Verb::Write => self.write(side, number, |data| transport.write(data)),
            Verb::WriteLines => self.write(side, number, |data| {
                let (head, tail) = data.split_at(number / 3);
                transport.writelines(&[head, tail])
            }),
            Verb::WriteEof => transport.write_eof(),
            Verb::Limits => transport.set_write_buffer_limits(Some(number), Some(number / 3)),
            Verb::Close => {
                transport.close();
                Ok(())
            }
            Verb::Abort => {
                transport.abort();
                Ok(())
            }
            Verb::Pause => {
                transport.pause_reading();
                Ok(())
            }
            Verb::Resume => {
                transport.resume_reading();
                Ok(())
            }
            Verb::State | Verb::Fail | Verb::FailIo | Verb::Keep => Ok(()),
        };
        // Only CPython 3.12 and later name the function.
        let named = |error: Error| error.to_string().replace("writelines()", "write()");
        let outcome = done.map_or_else(named, |()| "done".to_owned());
        let (closing, reading) = (transport.is_closing(), transport.is_reading());
        let (low, high) = transport.get_write_buffer_limits();
        let size = transport.get_write_buffer_size();
        if is_write(verb) && !is_skipped {
            self.unsent[side].set(size);
        }
        self.say(&format!(
            "{side}.{verb:?}:{number} {outcome}, closing {closing}, reading {reading}, \
             unsent {size} of {low} {high}"
        ));
    }

    fn write(&self, side: usize, count: usize, write: impl Fn(&[u8]) -> Result<()>) -> Result<()> {
        let offset = self.written[side].get();
        // Before the write: a method that's called meanwhile may write more.
        self.written[side].set(offset + count);
        write(pattern(offset, count)).inspect_err(|_| self.written[side].set(offset))
    }

    /// Our outbox is a ring. Bytes added to a partly sent outbox can wrap and are then sent in two
    /// pieces, whereas CPython sends one piece. The room in a socket depends on the pieces.
    fn is_partly_sent(&self, side: usize, transport: &Transport) -> bool {
        let unsent = transport.get_write_buffer_size();
        unsent > 0 && unsent != self.unsent[side].get()
    }

    /// In CPython 3.12 and later, a transport loses its writer if `resume_writing` writes while the
    /// transport is closing. Until 2026, a connection that's closed or aborted there was also lost
    /// twice (gh-156512).
    pub(crate) fn may_react(&self, method: &str, action: Action) -> bool {
        let transports = self.transports.borrow();
        let is_closing = transports.get(action.side).is_some_and(Transport::is_closing);
        let ends = matches!(action.verb, Verb::Close | Verb::Abort);
        !(method == "resume_writing" && (ends || is_write(action.verb) && is_closing))
    }
}

fn is_write(verb: Verb) -> bool {
    matches!(verb, Verb::Write | Verb::WriteLines)
}
