"""The twin of the scene two_locks_in_two_orders, on CPython's asyncio."""
import asyncio


class Named:
    def __init__(self, name):
        self.name, self.lock = name, asyncio.Lock()


def show(flag):
    return str(flag).lower()


async def take_both(who, one, other):
    async with one.lock:
        print(f"  the {who} task holds lock {one.name}")
        await asyncio.sleep(0)
        async with other.lock:
            print(f"  the {who} task holds locks {one.name} and {other.name}")


async def main():
    a, b = Named("a"), Named("b")
    first = asyncio.create_task(take_both("first", a, b))
    second = asyncio.create_task(take_both("second", b, a))
    for _ in range(1000):
        await asyncio.sleep(0)
    print(f"a thousand ticks later, the tasks are done: {show(first.done())}, {show(second.done())}")
    print("the second task is cancelled")
    second.cancel()
    await first
    print("both tasks lock in the same order:")
    first = asyncio.create_task(take_both("first", a, b))
    second = asyncio.create_task(take_both("second", a, b))
    await first
    await second


asyncio.run(main())
