"""The twin of the scene results_as_they_come, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.jobs import ended, job, report, show
from support.virtual_clock import VirtualLoop, time


async def main():
    jobs = (("slow", 3), ("slowest", 9), ("quick", 1), ("bad", 2))
    jobs = [job(name, seconds) for name, seconds in jobs]
    for coming in asyncio.as_completed(jobs, timeout=4):
        result = await ended(coming)
        print(f"{time()} s: {show(result)}")
    await asyncio.sleep(9)


loop = VirtualLoop()
loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
