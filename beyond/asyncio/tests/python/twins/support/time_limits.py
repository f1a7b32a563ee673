"""A block with a time limit that says how it ended, for the twins about limits."""
import asyncio

from .virtual_clock import time


def show(error):
    if error is None:
        return "a result"
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "another error"


async def limited(name, scope, block):
    error = None
    try:
        async with scope:
            await block
    except BaseException as caught:
        error = caught
    expired = str(scope.expired()).lower()
    print(f"  {time()} s: the {name} block ends: {show(error)}; expired: {expired}")
    if error is not None:
        raise error
