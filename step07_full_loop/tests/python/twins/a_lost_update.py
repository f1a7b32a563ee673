"""The twin of the scene a_lost_update, on CPython's asyncio."""
import asyncio
import contextlib


class Counter:
    value = 0


async def add_one(counter, lock):
    async with lock or contextlib.nullcontext():
        before = counter.value
        await asyncio.sleep(0)
        counter.value = before + 1


async def count_with(lock):
    counter = Counter()
    tasks = [asyncio.create_task(add_one(counter, lock)) for _ in range(10)]
    for task in tasks:
        await task
    return counter.value


async def main():
    print(f"without a lock: {await count_with(None)}")
    print(f"with a lock: {await count_with(asyncio.Lock())}")


asyncio.run(main())
