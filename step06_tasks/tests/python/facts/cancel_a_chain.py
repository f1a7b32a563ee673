"""Whether CPython can cancel the outer end of a chain of 10,000 tasks, each awaiting the next."""
import asyncio
import os
import sys


async def wait_for(awaited):
    return await awaited


async def main():
    task = asyncio.get_running_loop().create_future()
    for _ in range(10_000):
        task = asyncio.create_task(wait_for(task))
    await asyncio.sleep(0)
    try:
        task.cancel()
        print("cancelled", flush=True)
    except RecursionError:
        print("RecursionError", flush=True)
    # Without the clean-up of asyncio.run, which would recurse again.
    os._exit(0)


if sys.version_info < (3, 14):
    asyncio.run(main())
else:
    print("not asked")
