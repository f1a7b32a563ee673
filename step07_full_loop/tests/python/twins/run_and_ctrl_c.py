"""The twin of the scene interrupted, on CPython's asyncio."""
import asyncio
import signal


async def background():
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("background: cancelled = true")
        raise


async def main():
    task = asyncio.create_task(background())
    asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("main: cancelled = true; cleans up")
        await asyncio.sleep(0.001)
        print("main: has cleaned up")
        raise
    await task


# Whoever starts a program in the background lets it ignore SIGINT, and CPython leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("run: interrupted")
