"""The twin of the scene the_first_of_many, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.jobs import job, report
from support.virtual_clock import VirtualLoop, time


async def main():
    jobs = (("quick", 1), ("bad", 2), ("slow", 3), ("slowest", 9))
    tasks = [asyncio.create_task(job(name, seconds)) for name, seconds in jobs]
    for limit, return_when in (
        (None, asyncio.FIRST_COMPLETED),
        (None, asyncio.FIRST_EXCEPTION),
        (2, asyncio.ALL_COMPLETED),
        (None, asyncio.ALL_COMPLETED),
    ):
        done, pending = await asyncio.wait(tasks, timeout=limit, return_when=return_when)
        print(f"{time()} s: {len(done)} done, {len(pending)} pending")


loop = VirtualLoop()
loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
