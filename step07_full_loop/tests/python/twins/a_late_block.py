"""The twin of the scene a_late_block, on CPython's asyncio with a clock that costs no time."""
import asyncio

loop = asyncio.new_event_loop()
now = 0
select = loop._selector.select


def sleep_on_the_clock(timeout):
    global now
    now += timeout or 0
    return select(0)


loop.time = lambda: now
loop._selector.select = sleep_on_the_clock


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
    print(f"  {now} s: out of the {name} block: {show(error)}, expired = {expired}")
    if error is not None:
        raise error


async def unless_it_fails(block):
    try:
        await block
    except BaseException as error:
        return error


async def late(name):
    cancelled = await unless_it_fails(asyncio.sleep(9))
    print(f"  {now} s: the block hears: {show(cancelled)}")
    await asyncio.sleep(3)
    if name == "tidy":
        raise cancelled
    if name == "angry":
        raise ValueError("how rude")


async def main():
    for name in ("tidy", "stubborn", "angry"):
        print(f"{now} s: 1 s for the {name} block")
        await unless_it_fails(limited(name, asyncio.timeout(1), late(name)))


loop.run_until_complete(main())
loop.close()
