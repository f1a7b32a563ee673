//! Errors that no caller gets: the reports to the exception handler, and how the loop carries on.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step07_full_loop::{Error, EventLoop, ExceptionContext};

/// Prints the handler's report, without the place in this file.
fn say_context(t: Transcript, context: &ExceptionContext) {
    let error = match &context.exception {
        Some(Error::Panicked(message)) => message.clone(),
        Some(error) => error.to_string(),
        None => "no exception".to_owned(),
    };
    let has_handle = context.handle.is_some();
    say!(t, "  reported: {}: {}; with its handle = {}", context.message, error, has_handle);
}

/// Panics without calling the panic hook.
fn fail(message: &'static str) {
    resume_unwind(Box::new(message));
}

scene!(
    what_an_exception_handler_is_told,
    "A callback, a timer, a reader and a task fail in the same tick. Which of them runs again?"
);
/// Only the reader runs again. A callback's caller is the loop, which can't handle the callback's
/// errors, so it reports them to the exception handler and carries on. The loop calls a callback or
/// a timer once, even if it fails, but a reader in every tick in which there's something to read:
/// `the reader's turn 2`. The task's error is reported because its handle was dropped, so no code
/// will ever retrieve it. asyncio does the same.
fn what_an_exception_handler_is_told(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(move |context| say_context(t, context));
    let (reader, writer) = pipe()?;
    write(&writer, b"!")?;
    let (stopper, turns) = (event_loop.clone(), Cell::new(0));
    event_loop.add_reader(&reader, move || {
        turns.set(turns.get() + 1);
        say!(t, "the reader's turn {}", turns.get());
        if turns.get() == 3 {
            stopper.stop();
        }
        fail("the reader");
    })?;
    event_loop.call_soon(|| fail("the callback"));
    event_loop.call_later(Duration::ZERO, || fail("the timer"));
    event_loop.create_task(async { Err::<(), _>(Error::other("the task")) });
    event_loop.run_forever()?;
    event_loop.remove_reader(&reader)?;
    event_loop.close()?;
    Ok(())
}

scene!(
    a_broken_exception_handler: order,
    "An exception handler itself fails. Does the next callback run, and what reports the errors?"
);
/// The next callback runs as if nothing had happened. When the handler itself fails, in `the
/// handler's call 1`, no code above it can handle the panic. So the loop calls the default handler,
/// which prints to standard error, and carries on: `the handler's call 2` is for the next callback.
/// It would be a pity if a program ended because it couldn't report an error. asyncio does the
/// same.
fn a_broken_exception_handler(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (inner, calls) = (event_loop.clone(), Rc::new(Cell::new(0)));
    event_loop.set_exception_handler(move |context| {
        calls.set(calls.get() + 1);
        say!(t, "the handler's call {}", calls.get());
        if calls.get() == 1 {
            fail("the handler");
        }
        inner.default_exception_handler(context);
    });
    event_loop.call_soon(|| fail("the first callback"));
    event_loop.call_soon(|| fail("the second callback"));
    let replacer = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "a callback replaces the handler");
        replacer.set_exception_handler(move |context| say_context(t, context));
        fail("the third callback");
    });
    let stopper = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "the last callback: stop()");
        stopper.stop();
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}
