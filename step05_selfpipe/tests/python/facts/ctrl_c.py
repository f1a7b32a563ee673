"""How Ctrl-C reaches a loop under asyncio.run: by a Python handler that wakes the loop through its self-pipe."""
import asyncio
import signal


async def main():
    loop = asyncio.get_running_loop()
    print("the handler:       ", signal.getsignal(signal.SIGINT).func.__qualname__)
    print("wake-up descriptor:", signal.set_wakeup_fd(-1))
    signal.raise_signal(signal.SIGINT)
    print("bytes in the pipe: ", len(loop._ssock.recv(4096)))
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("the main task is cancelled")
        raise


# A shell has programs in its background ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("run raises KeyboardInterrupt")
