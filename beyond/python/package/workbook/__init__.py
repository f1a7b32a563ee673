"""Python's asyncio on the event loop of the workbook.

    asyncio.run(main(), loop_factory=lambda: asyncio.SelectorEventLoop(workbook.Selector()))
    asyncio.run(main(), loop_factory=workbook.EventLoop)

The first has CPython's own loop sleep in the selector of step 03. The second runs all of it on the loop of step 07.
"""

import faulthandler
import os
import signal

from . import _loop
from ._loop import LayerPanic
from .selector import Selector

__all__ = ["LayerPanic", "Selector"]

if patience := os.environ.get("WORKBOOK_WATCH"):
    # `run-mine` asks for the watchdog, which sends this signal. No other code uses this signal.
    faulthandler.register(signal.SIGSTKFLT, all_threads=True)
    os.register_at_fork(after_in_child=_loop.stop_watching)
    _loop.watch(float(patience))

if hasattr(_loop, "Core"):
    from .event_loop import EventLoop, new_event_loop

    __all__ += ["EventLoop", "new_event_loop"]


def __getattr__(name):
    if name in ("EventLoop", "new_event_loop"):
        missing = os.environ.get("WORKBOOK_MISSING_PAGES")
        missing = f"these aren't: {missing}" if missing else "some aren't"
        raise ImportError(
            f"workbook.{name} needs all seven layers to be yours, and {missing}. (Once their pages are green, "
            "`cargo run -- use-mine` puts them in.) workbook.Selector is there."
        )
    raise AttributeError(f"module 'workbook' has no attribute {name!r}")
