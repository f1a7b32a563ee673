"""The twin of the scene nested_timeouts, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.members import unless_it_fails
from support.time_limits import limited
from support.virtual_clock import VirtualLoop, time


async def main():
    for outer, inner in ((3, 1), (1, 3), (2, 2)):
        print(f"{time()} s: inner limit {inner} s, outer limit {outer} s")
        block = limited("inner", asyncio.timeout(inner), asyncio.sleep(9))
        await unless_it_fails(limited("outer", asyncio.timeout(outer), block))
        requests = asyncio.current_task().cancelling()
        print(f"  requests left: {requests}")


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
