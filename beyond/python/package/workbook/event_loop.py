"""asyncio's event loop on the loop of step 07.

The loop in Rust runs callbacks and timers, watches descriptors, and sleeps. All that stands on it is CPython's own:
transports, streams, servers, TLS, subprocesses and signals come from `asyncio.SelectorEventLoop`, unchanged.
"""

import asyncio
import functools
import inspect
import os
import selectors
import weakref
from asyncio import base_events, events, format_helpers
from asyncio.log import logger

from . import _loop

__all__ = ["EventLoop", "new_event_loop"]


class EventLoop(_loop.Core, asyncio.SelectorEventLoop):
    """An event loop for `asyncio.run(main(), loop_factory=workbook.EventLoop)`.

    `Core` comes first, so its methods take the place of asyncio's: `call_soon`, `call_later`, `call_at`,
    `call_soon_threadsafe`, `time`, what adds and removes readers and writers, and `_run_once`.
    """

    def __init__(self):
        super().__init__(_Watched(self))

    if hasattr(events, "_ThreadSafeHandle"):

        def call_soon_threadsafe(self, callback, *args, context=None):
            # From Python 3.14 on, cancelling such a handle in another thread waits while its callback is running. So
            # this is asyncio's own handle, with its lock, and the loop in Rust calls it.
            self._check_closed()
            if self._debug:
                self._check_callback(callback, "call_soon_threadsafe")
            handle = events._ThreadSafeHandle(callback, args, self, context)
            if handle._source_traceback:
                # The frames of this function and of the handle's constructor.
                del handle._source_traceback[-2:]
            super().call_soon_threadsafe(handle._run)
            return handle

    def _add_callback(self, handle):
        # For a handle that asyncio has made itself.
        if not handle._cancelled:
            self.call_soon(handle._run)

    def _make_socket_transport(self, *args, **kwargs):
        # asyncio asks for 256 KiB in each read, and for each, glibc maps memory and gives it back. For 64 KiB it
        # doesn't, so a small message costs far less.
        transport = super()._make_socket_transport(*args, **kwargs)
        transport.max_size = min(transport.max_size, 64 * 1024)
        return transport

    def _callback_failed(self, handle, error):
        """Reports an exception that a callback has raised. (asyncio: in `Handle._run`)"""
        source = _callback_source(handle._callback, handle._args, self._debug)
        context = {"message": f"Exception in callback {source}", "exception": error, "handle": handle}
        if handle._source_traceback:
            context["source_traceback"] = handle._source_traceback
        self.call_exception_handler(context)

    @staticmethod
    def _name_in_trace(callback):
        """Names a callback: a task's step by its task and coroutine, all else by its function."""
        while isinstance(callback, functools.partial):
            callback = callback.func
        owner = getattr(callback, "__self__", None)
        if isinstance(owner, asyncio.Handle):
            return EventLoop._name_in_trace(owner._callback)
        if isinstance(owner, asyncio.Task):
            return f"{owner.get_name()}: {owner.get_coro().__qualname__}()"
        return getattr(callback, "__qualname__", None) or repr(callback)

    def _run_timed(self, handle):
        """Runs a callback, and reports it if it was slow. (asyncio: in `_run_once`, in debug mode)"""
        self._current_handle = handle
        try:
            began = self.time()
            handle._run()
            took = self.time() - began
            if took >= self.slow_callback_duration:
                logger.warning("Executing %s took %.3f seconds", base_events._format_handle(handle), took)
        finally:
            self._current_handle = None


def new_event_loop():
    """Makes an event loop: the name that `uvicorn --loop workbook:new_event_loop` takes."""
    return EventLoop()


class _Watched:
    """Stands for the selector that asyncio's loop wants to have: transports ask it, when they describe themselves, whether
    they are being watched. The selector itself is in the loop in Rust."""

    def __init__(self, event_loop):
        self._loop = weakref.proxy(event_loop)

    def get_key(self, fileobj):
        reader, writer = self._loop._watched(fileobj)
        events = (reader is not None and selectors.EVENT_READ) | (writer is not None and selectors.EVENT_WRITE)
        if not events:
            raise KeyError(f"{fileobj!r} is not registered")
        fd = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        return selectors.SelectorKey(fileobj, fd, events, (reader, writer))

    def close(self):
        pass


_TELLS_DEBUG = "debug" in inspect.signature(format_helpers._format_callback_source).parameters


def _callback_source(callback, args, debug):
    # From Python 3.13 on, the text has the arguments only in debug mode.
    if _TELLS_DEBUG:
        return format_helpers._format_callback_source(callback, args, debug=debug)
    return format_helpers._format_callback_source(callback, args)


def _describe(ours, theirs, *names):
    """Takes methods from asyncio's class that only describe a handle, or compare it."""
    for name in names:
        setattr(ours, name, getattr(theirs, name))


_describe(_loop.Handle, asyncio.Handle, "__repr__", "_repr_info")
_describe(_loop.TimerHandle, asyncio.TimerHandle, "_repr_info", "__hash__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__")

os.register_at_fork(after_in_child=_loop.forget_running_loop)
