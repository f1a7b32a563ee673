"""The twin of the scene a_group_is_cancelled, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.members import member, show, unless_it_fails
from support.virtual_clock import VirtualLoop, time


async def grouped(second):
    async with asyncio.TaskGroup() as group:
        group.create_task(member("one", 8, 1))
        group.create_task(member(second, 9, 2))
        cancelled = await unless_it_fails(asyncio.sleep(9))
        print(f"  {time()} s: the block: {show(cancelled)}")
        raise cancelled


async def main():
    for second in ("other", "untidy"):
        task = asyncio.create_task(grouped(second))
        await asyncio.sleep(1)
        print(f"{time()} s: the task is asked to end: {str(task.cancel()).lower()}")
        error = await unless_it_fails(task)
        print(f"  {time()} s: the task: {show(error)}")


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
