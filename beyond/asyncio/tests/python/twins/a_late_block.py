"""The twin of the scene a_late_block, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.members import unless_it_fails
from support.time_limits import limited, show
from support.virtual_clock import VirtualLoop, time


async def late(name):
    cancelled = await unless_it_fails(asyncio.sleep(9))
    print(f"  {time()} s: the block's sleep: {show(cancelled)}")
    await asyncio.sleep(3)
    if name == "tidy":
        raise cancelled
    if name == "angry":
        raise ValueError("how rude")


async def main():
    for name in ("tidy", "stubborn", "angry"):
        print(f"{time()} s: 1 s for the {name} block")
        await unless_it_fails(limited(name, asyncio.timeout(1), late(name)))


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
