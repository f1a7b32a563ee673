"""The twin of the scene a_timeout_and_a_cancellation, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.members import unless_it_fails
from support.time_limits import limited, show
from support.virtual_clock import VirtualLoop


async def main():
    for limit, cancels in ((2, 2), (1, 2), (2, 1)):
        print(f"a limit of {limit} s, cancelled after {cancels} s")
        task = asyncio.create_task(limited("only", asyncio.timeout(limit), asyncio.sleep(9)))
        loop.call_later(cancels, task.cancel)
        error = await unless_it_fails(task)
        print(f"  the task: {show(error)}, requests to end: {task.cancelling()}")
        await asyncio.sleep(5)


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
