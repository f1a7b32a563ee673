"""Python's asyncio on the event loop of the workbook.

    asyncio.run(main(), loop_factory=lambda: asyncio.SelectorEventLoop(workbook.Selector()))
    asyncio.run(main(), loop_factory=workbook.EventLoop)

The first has CPython's own loop sleep in the selector of step 03. The second runs all of it on the loop of step 07.
"""

from ._loop import LayerPanic
from .selector import Selector

__all__ = ["EventLoop", "LayerPanic", "Selector", "new_event_loop"]
