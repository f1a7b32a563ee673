//! Signals, delivered as callbacks on the loop.
//!
//! The handler that the kernel calls only notes the signal and writes a byte into the pipe of the
//! queue's inbox (step 05). The loop wakes, and a callback drains the pipe and puts the program's
//! handler for each noted signal into the ready queue, in the order in which the signals first
//! arrived. So the handlers run a tick later, as in asyncio, and can do anything.
//!
//! In asyncio the bytes themselves are the signals: if a signal arrives three times before the loop
//! is awake, its handler runs three times, and a signal that arrives while the pipe is full is
//! lost. Here no signal is lost, but a signal that repeats before the loop takes it is noted only
//! once.

use std::io;
use std::mem;
use std::rc::Rc;

use step01_fd::CallError;
use step05_selfpipe::Signals;
use step06_tasks::{Drain, ExceptionContext, Handle, ReadyQueue};

use crate::event_loop::EventLoop;

/// The handled signals and their callbacks.
#[derive(Default)]
pub(crate) struct SignalHandlers {
    /// A process can have only one `Signals`, so a loop keeps it only while the loop handles
    /// signals.
    pub(super) signals: Option<Signals>,
    /// Each handle has its own `Rc`, which is dropped when the handler is replaced or removed, so a
    /// `Weak` shows whether the handler is still set.
    callbacks: Vec<(i32, Rc<Handle>)>,
}

impl EventLoop {
    /// Runs the callback on the loop whenever `signal` arrives; asyncio's `add_signal_handler`.
    /// Replaces the previous handler, if any. A signal that has already arrived goes to the new
    /// handler, unless the old handler is already in the ready queue. A signal that arrives several
    /// times before the loop takes it causes a single call; asyncio makes several calls.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if another loop in this process handles signals, and with
    /// `InvalidInput` if `signal` can't be handled.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn add_signal_handler(
        &self,
        signal: i32,
        callback: impl FnMut() + 'static,
    ) -> io::Result<()> {
        self.set_signal_handler(signal, Rc::new(Handle::repeating(callback)))
    }

    pub(crate) fn set_signal_handler(&self, signal: i32, handle: Rc<Handle>) -> io::Result<()> {
        self.assert_open_to("add_signal_handler");
        self.core.signal_handlers.borrow_mut().watch(signal, &self.core.queue)?;
        let replaced = self.core.signal_handlers.borrow_mut().put(signal, handle);
        // When nothing is borrowed any more: the old handler's destructor can run any code.
        drop(replaced);
        Ok(())
    }

    pub(crate) fn handles_signal(&self, signal: i32) -> bool {
        let handlers = self.core.signal_handlers.borrow();
        handlers.callbacks.iter().any(|(handled, _)| *handled == signal)
    }

    /// Restores the previous action of `signal`. Returns true if `signal` had a handler. A handler
    /// that's already in the ready queue is still called, as in asyncio.
    ///
    /// Once this loop has no signal handlers left, another loop in the process can handle signals.
    ///
    /// # Errors
    ///
    /// Fails as [`Signals::remove`] does.
    pub fn remove_signal_handler(&self, signal: i32) -> io::Result<bool> {
        let removed = self.core.signal_handlers.borrow_mut().remove(signal)?;
        Ok(removed.is_some())
    }

    /// Drains the pipe and only then looks for signals: a signal that arrives after the drain
    /// leaves its byte for the next tick.
    pub(crate) fn drain_and_queue_signals(&self) {
        if let Err(error) = self.core.queue.take_remote(Drain::Pipe) {
            let context = ExceptionContext::new("The loop's own pipe can't be read");
            self.call_exception_handler(&context.with_exception(error.into()));
        }
        self.queue_signal_handlers();
    }

    fn queue_signal_handlers(&self) {
        let handlers = self.core.signal_handlers.borrow();
        // Usually a thread has woken the loop, and no signal has arrived.
        let arrived = handlers.signals.as_ref().filter(|signals| signals.has_arrived());
        for signal in arrived.into_iter().flat_map(Signals::take) {
            let callback = handlers.callbacks.iter().find(|(handled, _)| *handled == signal);
            if let Some((_, handle)) = callback {
                self.core.queue.push(Handle::clone(handle));
            }
        }
    }
}

impl SignalHandlers {
    /// Restores the previous action of every signal, so that another loop in the process can handle
    /// signals, and returns the handlers.
    pub(crate) fn into_handles(self) -> impl Iterator<Item = Rc<Handle>> {
        drop(self.signals);
        self.callbacks.into_iter().map(|(_, handle)| handle)
    }

    /// Handles a signal from now on, without a gap if the signal is already handled.
    fn watch(&mut self, signal: i32, queue: &ReadyQueue) -> io::Result<()> {
        let mut signals = match self.signals.take() {
            Some(signals) => signals,
            None => Signals::new(queue.waker())
                .map_err(|error| CallError::wrap(format!("handle signal {signal}"), error))?,
        };
        let added = signals.add(signal);
        if added.is_ok() || !self.callbacks.is_empty() {
            self.signals = Some(signals);
        }
        added
    }

    /// Replaces a signal's callback and returns the previous callback.
    fn put(&mut self, signal: i32, handle: Rc<Handle>) -> Option<Rc<Handle>> {
        if let Some((_, before)) = self.callbacks.iter_mut().find(|(it, _)| *it == signal) {
            return Some(mem::replace(before, handle));
        }
        self.callbacks.push((signal, handle));
        None
    }

    fn remove(&mut self, signal: i32) -> io::Result<Option<Rc<Handle>>> {
        let index = self.callbacks.iter().position(|(handled, _)| *handled == signal);
        let Some(index) = index else { return Ok(None) };
        if let Some(signals) = &mut self.signals {
            signals.remove(signal)?;
        }
        let (_, removed) = self.callbacks.swap_remove(index);
        if self.callbacks.is_empty() {
            self.signals = None;
        }
        Ok(Some(removed))
    }
}
