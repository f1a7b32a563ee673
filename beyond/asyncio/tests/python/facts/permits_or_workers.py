"""Ten thousand jobs, fifty at a time: a task each and a semaphore, or a queue and fifty workers.

The example permits_or_workers does the same on our loop. The figures go to standard error.
"""
import asyncio
import sys
import time
import tracemalloc

JOBS = 10_000
AT_A_TIME = 50
ROOM = 1_000


async def job(number):
    await asyncio.sleep(0.001)


async def a_task_each():
    semaphore = asyncio.Semaphore(AT_A_TIME)

    async def with_a_permit(number):
        async with semaphore:
            await job(number)

    async with asyncio.TaskGroup() as group:
        for number in range(JOBS):
            group.create_task(with_a_permit(number))


async def a_queue_and_workers():
    queue = asyncio.Queue(ROOM)

    async def work():
        while (number := await queue.get()) is not None:
            await job(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_A_TIME):
            group.create_task(work())
        for number in range(JOBS):
            await queue.put(number)
        # One for each worker: there's no more.
        for _ in range(AT_A_TIME):
            await queue.put(None)


def measure(name, program):
    """Returns how many bytes it takes at most."""
    began = time.perf_counter()
    asyncio.run(program())
    took = time.perf_counter() - began
    tracemalloc.start()
    asyncio.run(program())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{name}: {peak // 1024} KiB at most, {took:.2f} s", file=sys.stderr)
    return peak


asyncio.run(asyncio.sleep(0))
tasks = measure("a task each, and a semaphore", a_task_each)
workers = measure("a queue, and workers", a_queue_and_workers)
print("more than fifty times as much memory:", tasks > 50 * workers)
