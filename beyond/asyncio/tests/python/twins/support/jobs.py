"""Jobs that take some seconds and may fail, for the twins that wait for many of them."""
import asyncio

from .virtual_clock import time


def report(loop, context):
    print(f"  an error is reported: {context['exception']}")


async def job(name, seconds):
    how = "is cancelled"
    try:
        await asyncio.sleep(seconds)
        how = "fails" if name.startswith("bad") else "ends"
    finally:
        print(f"  {time()} s: {name} {how}")
    if how == "fails":
        raise ValueError(name)
    return name


def show(result):
    if isinstance(result, asyncio.CancelledError):
        return "cancelled"
    if isinstance(result, TimeoutError):
        return "timed out"
    if isinstance(result, Exception):
        return f"error: {result}"
    if isinstance(result, list):
        return f"[{', '.join(map(show, result))}]"
    return f'"{result}"'


async def ended(awaitable):
    """Awaits it, and returns its result or its error."""
    try:
        return await awaitable
    except BaseException as error:
        return error
