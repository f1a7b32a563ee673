"""Whether CPython can cancel the outer end of a long chain of tasks, each awaiting the next.

How long it has to be is a matter of a count up to 3.13, and of the stack's size from 3.14 on. So the thread's stack is
made here.
"""
import asyncio
import os
import threading


async def wait_for(awaited):
    return await awaited


async def main():
    task = asyncio.get_running_loop().create_future()
    for _ in range(100_000):
        task = asyncio.create_task(wait_for(task))
    await asyncio.sleep(0)
    try:
        task.cancel()
        print("cancelled", flush=True)
    except RecursionError:
        print("RecursionError", flush=True)
    # Without the clean-up of asyncio.run, which would recurse again.
    os._exit(0)


threading.stack_size(8 * 1024 * 1024)
threading.Thread(target=lambda: asyncio.run(main())).start()
