"""Members of a task group that fail or clean up, for the twins about groups."""
import asyncio

from .virtual_clock import time


def show(error):
    if error is None:
        return "no error"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    if isinstance(error, ExceptionGroup):
        return f"{error}: [{', '.join(map(show, error.exceptions))}]"
    return str(error)


async def member(name, seconds, cleans_up):
    how = "ends"
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        how = "is cancelled"
        await asyncio.sleep(cleans_up)
        raise
    finally:
        if name == "bad" or name == "untidy" and how == "is cancelled":
            how = "fails"
        print(f"  {time()} s: {name} {how}")
        if how == "fails":
            raise ValueError(name)


async def unless_it_fails(block):
    """Returns the error of an awaitable, if it has one."""
    try:
        await block
    except BaseException as error:
        return error
