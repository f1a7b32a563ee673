"""The twin of the scene three_tasks_and_a_counter, on CPython's asyncio."""
import asyncio
import contextlib


class Counter:
    value = 0


async def add_one(who, counter, lock):
    async with lock or contextlib.nullcontext():
        before = counter.value
        print(f"  task {who} reads {before}")
        await asyncio.sleep(0)
        counter.value = before + 1
        print(f"  task {who} writes {before + 1}")


async def count_with(lock):
    counter = Counter()
    tasks = [asyncio.create_task(add_one(who, counter, lock)) for who in (1, 2, 3)]
    for task in tasks:
        await task
    return counter.value


async def main():
    print(f"without a lock, the counter is {await count_with(None)} in the end")
    print(f"with a lock, the counter is {await count_with(asyncio.Lock())}")


asyncio.run(main())
