"""The twin of the scene a_threads_lock_in_a_coroutine, on CPython's asyncio."""
import asyncio
import threading

ticks = 0


async def count():
    global ticks
    while True:
        ticks += 1
        await asyncio.sleep(0)


async def hold_the_threads(lock):
    lock.acquire()
    print("a task holds a thread's lock")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    print("  the task releases the lock")
    lock.release()


async def hold_the_tasks(lock):
    async with lock:
        print("a task holds a task's lock")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        print("  the task releases the lock")


async def main():
    counter = asyncio.create_task(count())

    lock = threading.Lock()
    holder = asyncio.create_task(hold_the_threads(lock))
    await asyncio.sleep(0)
    before = ticks
    got = lock.acquire(timeout=0.05)
    print(f"  the other task gets the lock: {str(got).lower()}, after {ticks - before} ticks")
    await holder

    lock = asyncio.Lock()
    holder = asyncio.create_task(hold_the_tasks(lock))
    await asyncio.sleep(0)
    before = ticks
    got = await lock.acquire()
    print(f"  the other task gets the lock: {str(got).lower()}, after {ticks - before} ticks")
    await holder
    counter.cancel()


asyncio.run(main())
