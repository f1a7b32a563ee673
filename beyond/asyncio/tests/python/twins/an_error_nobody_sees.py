"""The twin of the scene an_error_nobody_sees, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.jobs import ended, job, report, show
from support.virtual_clock import VirtualLoop, time


async def main():
    result = await ended(asyncio.gather(job("bad", 1), job("bad too", 2)))
    print(f"  {time()} s: gather has ended: {show(result)}")
    await asyncio.sleep(4)
    asyncio.create_task(job("bad as well", 1))
    await asyncio.sleep(4)


loop = VirtualLoop()
loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
