"""The twin of the scene who_gets_the_lock, on CPython's asyncio."""
import asyncio


def show(flag):
    return str(flag).lower()


async def take(lock, who):
    print(f"  the {who} task asks for the lock")
    try:
        await lock.acquire()
    except asyncio.CancelledError:
        print(f"  the {who} task is cancelled")
        raise
    print(f"  the {who} task has the lock")
    await asyncio.sleep(0)
    lock.release()


async def main():
    lock = asyncio.Lock()
    await lock.acquire()
    first = asyncio.create_task(take(lock, "first"))
    second = asyncio.create_task(take(lock, "second"))
    await asyncio.sleep(0)
    lock.release()
    first.cancel()
    print(f"the lock is released, and the first task is cancelled; locked: {show(lock.locked())}")
    new = asyncio.create_task(take(lock, "new"))
    for tick in range(1, 4):
        await asyncio.sleep(0)
        print(f"tick {tick} is over; locked: {show(lock.locked())}")
    await second
    await new


asyncio.run(main())
