"""The twin of the scene a_runner_and_ctrl_c, on CPython's asyncio."""
import asyncio
import signal


def handles_sigint():
    # Python's own handler is what SIGINT does by default.
    return str(signal.getsignal(signal.SIGINT) is not signal.default_int_handler).lower()


def interrupt_soon():
    asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)


def ending(main):
    try:
        runner.run(main)
        return "ends"
    except KeyboardInterrupt:
        return "interrupted"
    except asyncio.CancelledError:
        return "cancelled"


async def first():
    print("first main: SIGINT is the runner's =", handles_sigint())
    interrupt_soon()
    await asyncio.sleep(3600)


async def second():
    print("second main: it only returns")


async def third():
    print("third main: SIGINT doesn't end it, so it cancels itself")
    interrupt_soon()
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        asyncio.current_task().cancel()
    await asyncio.sleep(0)


async def fourth():
    print("fourth main: it has a handler of its own")
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.add_signal_handler(signal.SIGINT, future.set_result, None)
    interrupt_soon()
    await future


# Whoever starts a program in the background lets it ignore SIGINT, and CPython leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
with asyncio.Runner() as runner:
    print("before: SIGINT is the runner's =", handles_sigint())
    print(f"  {ending(first())}; SIGINT is the runner's =", handles_sigint())
    print(f"  {ending(second())}; SIGINT is the runner's =", handles_sigint())
    print(f"  {ending(third())}")
    ended = ending(fourth())
    is_kept = str(runner.get_loop().remove_signal_handler(signal.SIGINT)).lower()
    print(f"  {ended}; its handler is still there =", is_kept)
