//! A trial of a task that never has to wait: it has to let other tasks have their turns.

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::io::{ErrorKind, Read as _, Write as _};
use std::mem;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use scene::{Program, Transcript, say, trial};
use step07_full_loop::{EventLoop, Result, Task, create_task, yield_now};

use super::readiness::{Fd, connected, tick};

/// So many calls that one turn more or less in each row changes how often another task runs.
const IN_A_ROW: u32 = 4100;

/// The way in which a task uses a direction that's always ready.
#[derive(Debug, Clone, Copy)]
enum Asks {
    Calls,
    /// Each call fails, and the task tries again.
    Fails,
    Awaits,
    Polls,
}

impl fmt::Display for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Asks::Calls => "read_io().await",
            Asks::Fails => "a read_io().await that fails",
            Asks::Awaits => "readable().await",
            Asks::Polls => "poll_readable()",
        })
    }
}

/// A situation in which turns are taken.
#[derive(Debug, Clone, Copy)]
enum Turns {
    /// The direction is always ready: another task must run now and then.
    InARow(Asks),
    /// The task is cancelled while other tasks have their turn.
    Cancelled,
    /// The task waits for each byte and continues in the tick of the byte's event.
    OneByOne,
    /// The last of the turns is a call that would block.
    LastBlocks,
    /// The same, but the peer's end was noted, so no further event may come.
    LastBlocksBeforeTheEnd,
    /// Signals interrupt the call again and again.
    Interrupted,
}

trial!(
    turns_of_a_socket,
    1,
    "A task that never has to wait lets others run now and then; a wait for an event restarts the count of its turns."
);
fn turns_of_a_socket(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let cases = [
        Turns::InARow(Asks::Calls),
        Turns::InARow(Asks::Fails),
        Turns::InARow(Asks::Awaits),
        Turns::InARow(Asks::Polls),
        Turns::Cancelled,
        Turns::OneByOne,
        Turns::LastBlocks,
        Turns::LastBlocksBeforeTheEnd,
        Turns::Interrupted,
    ];
    for case in program.verbs(cases) {
        let event_loop = EventLoop::new()?;
        event_loop.set_exception_handler(|_| {});
        let (fd, peer) = connected(&event_loop)?;
        match case {
            Turns::InARow(asks) => {
                let turns = turns_in_a_row(&event_loop, &fd, peer, asks)?;
                say!(t, "{asks}, {IN_A_ROW} times in a row: another task has {turns} turns");
            }
            Turns::Cancelled => {
                let calls = cancelled_in_its_turn(&event_loop, &fd, peer)?;
                let is_over = calls < 100;
                say!(
                    t,
                    "the task is cancelled during others' turns, and no call follows: {is_over}"
                );
            }
            Turns::OneByOne => {
                let read = one_by_one(&event_loop, &fd, &peer)?;
                say!(t, "each byte has an event: {read} of 200 are read in the event's tick");
            }
            Turns::LastBlocks => {
                let can_sleep = last_blocks(&event_loop, &fd, &peer)?;
                say!(t, "after 63 calls, the next would block: the loop can sleep: {can_sleep}");
            }
            Turns::LastBlocksBeforeTheEnd => {
                let is_found = last_blocks_before_the_end(&event_loop, &fd, &peer)?;
                say!(
                    t,
                    "after 63 calls, the next would block, but the peer's end was noted: the task \
                     finds it: {is_found}"
                );
            }
            Turns::Interrupted => {
                let calls = interrupted(&event_loop, &fd, peer)?;
                say!(t, "a call that's interrupted 200 times: {calls} calls");
            }
        }
        event_loop.close()?;
    }
    Ok(())
}

/// Starts a task that counts its turns until it's cancelled. The task also ends by itself, so that
/// the loop falls asleep if its other task is stuck.
fn count_turns(turns: &Rc<Cell<u32>>) -> Result<Task<()>> {
    let turns = Rc::clone(turns);
    Ok(create_task(async move {
        for _ in 0..10_000 {
            yield_now().await?;
            turns.set(turns.get() + 1);
        }
        Ok(())
    })?)
}

fn turns_in_a_row(
    event_loop: &EventLoop,
    fd: &Fd,
    peer: UnixStream,
    asks: Asks,
) -> anyhow::Result<u32> {
    let fd = Rc::clone(fd);
    Ok(event_loop.run_until_complete(async move {
        // The end stays readable, and no other event comes.
        drop(peer);
        fd.readable().await?;
        let turns = Rc::new(Cell::new(0));
        let other = count_turns(&turns)?;
        for _ in 0..IN_A_ROW {
            match asks {
                Asks::Calls => fd.read_io(|_| Ok(())).await?,
                Asks::Fails => {
                    let failed = fd.read_io::<()>(|_| Err(ErrorKind::ConnectionReset.into())).await;
                    drop(failed);
                }
                Asks::Awaits => fd.readable().await?,
                Asks::Polls => poll_fn(|context| fd.poll_readable(context)).await?,
            }
        }
        other.cancel();
        Ok(turns.get())
    })?)
}

/// Returns how often a task that's cancelled at the end of its turns makes its call.
fn cancelled_in_its_turn(event_loop: &EventLoop, fd: &Fd, peer: UnixStream) -> anyhow::Result<u32> {
    let fd = Rc::clone(fd);
    Ok(event_loop.run_until_complete(async move {
        drop(peer);
        fd.readable().await?;
        let calls = Rc::new(Cell::new(0));
        let counts = Rc::clone(&calls);
        let task = create_task(async move {
            for _ in 0..1000 {
                let call = |_: &UnixStream| {
                    counts.set(counts.get() + 1);
                    Ok(())
                };
                fd.read_io(call).await?;
            }
            Ok(())
        })?;
        // It has begun by then, and it has had its turns.
        yield_now().await?;
        task.cancel();
        let _ = task.await;
        Ok(calls.get())
    })?)
}

/// Returns the number of bytes that were read in the tick in which their event arrived.
fn one_by_one(event_loop: &EventLoop, fd: &Fd, peer: &UnixStream) -> anyhow::Result<u32> {
    let (fd, read) = (Rc::clone(fd), Rc::new(Cell::new(0)));
    let counts = Rc::clone(&read);
    event_loop.call_soon(move || {
        let _ = create_task::<()>(async move {
            loop {
                fd.read_io(|mut socket| socket.read(&mut [0])).await?;
                counts.set(counts.get() + 1);
            }
        });
    });
    tick(event_loop)?;
    tick(event_loop)?;
    let mut in_time = 0;
    for _ in 0..200 {
        let before = read.get();
        (&mut &*peer).write_all(b"!")?;
        tick(event_loop)?;
        in_time += u32::from(read.get() == before + 1);
    }
    Ok(in_time)
}

/// Returns true if the loop can sleep once a task's 64th call in a row would block.
fn last_blocks(event_loop: &EventLoop, fd: &Fd, mut peer: &UnixStream) -> anyhow::Result<bool> {
    let fd = Rc::clone(fd);
    event_loop.call_soon(move || {
        let _ = create_task::<()>(async move {
            for _ in 0..63 {
                fd.read_io(|_| Ok(())).await?;
            }
            fd.read_io(|_| Err(ErrorKind::WouldBlock.into())).await
        });
    });
    tick(event_loop)?;
    tick(event_loop)?;
    peer.write_all(b"!")?;
    tick(event_loop)?;
    Ok(event_loop.select_timeout().is_none())
}

/// Returns true if a task whose 64th call in a row would block makes a further call by itself.
fn last_blocks_before_the_end(
    event_loop: &EventLoop,
    fd: &Fd,
    peer: &UnixStream,
) -> anyhow::Result<bool> {
    let (fd, is_found) = (Rc::clone(fd), Rc::new(Cell::new(false)));
    let finds = Rc::clone(&is_found);
    event_loop.call_soon(move || {
        let _ = create_task::<()>(async move {
            for _ in 0..63 {
                fd.read_io(|_| Ok(())).await?;
            }
            let mut blocks = true;
            let call = |_: &UnixStream| {
                if mem::take(&mut blocks) { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
            };
            fd.read_io(call).await?;
            finds.set(true);
            Ok(())
        });
    });
    tick(event_loop)?;
    tick(event_loop)?;
    peer.shutdown(Shutdown::Write)?;
    for _ in 0..4 {
        tick(event_loop)?;
    }
    Ok(is_found.get())
}

fn interrupted(event_loop: &EventLoop, fd: &Fd, peer: UnixStream) -> anyhow::Result<u32> {
    let fd = Rc::clone(fd);
    Ok(event_loop.run_until_complete(async move {
        drop(peer);
        let mut calls = 0;
        fd.read_io(|_| {
            calls += 1;
            if calls > 200 { Ok(()) } else { Err(ErrorKind::Interrupted.into()) }
        })
        .await?;
        Ok(calls)
    })?)
}
