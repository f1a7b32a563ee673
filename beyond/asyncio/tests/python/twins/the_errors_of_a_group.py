"""The twin of the scene the_errors_of_a_group, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.members import member, show, unless_it_fails
from support.virtual_clock import VirtualLoop, time


async def grouped():
    async with asyncio.TaskGroup() as group:
        group.create_task(member("quick", 1, 0))
        group.create_task(member("bad", 2, 0))
        group.create_task(member("untidy", 8, 1))
        group.create_task(member("slow", 9, 2))
        cancelled = await unless_it_fails(asyncio.sleep(9))
        print(f"  {time()} s: the block: {show(cancelled)}")
        late = member("late", 1, 0)
        try:
            group.create_task(late)
        except RuntimeError:
            late.close()
            print(f"  {time()} s: the group refuses another task = true")
        raise cancelled


async def main():
    error = await unless_it_fails(grouped())
    print(f"{time()} s: {show(error)}")
    requests = asyncio.current_task().cancelling()
    print(f"requests left: {requests}")
    await asyncio.sleep(1)
    print(f"{time()} s: the next sleep lasted a whole second")


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
