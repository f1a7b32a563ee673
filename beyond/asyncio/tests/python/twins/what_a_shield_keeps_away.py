"""The twin of the scene what_a_shield_keeps_away, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.jobs import ended, job, report, show
from support.virtual_clock import VirtualLoop, time


async def shielded(name):
    return await asyncio.shield(job(name, 3))


async def main():
    for name in ("the saving", "bad saving"):
        task = asyncio.create_task(shielded(name))
        await asyncio.sleep(1)
        print(f"{time()} s: the task is asked to end: {str(task.cancel()).lower()}")
        result = await ended(task)
        print(f"  {time()} s: the task: {show(result)}")
        await asyncio.sleep(4)


loop = VirtualLoop()
loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
