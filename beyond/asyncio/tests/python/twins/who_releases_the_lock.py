"""The twin of the scene who_releases_the_lock, on CPython's asyncio."""
import asyncio


async def between_two_calls(lock, way):
    await lock.acquire()
    if await work(way):
        return True
    lock.release()
    return False


async def with_a_guard(lock, way):
    async with lock:
        if await work(way):
            return True
    return False


async def work(way):
    if way == "is cancelled":
        await asyncio.Event().wait()
    if way == "fails":
        raise ValueError("as it should")
    return True


async def end(task, way):
    await asyncio.sleep(0)
    if way == "is cancelled":
        task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()


async def main():
    ways = ("is cancelled", "fails", "returns")
    for coroutine, when in ((between_two_calls, "between acquire and release"),
                            (with_a_guard, "while it holds a guard")):
        for way in ways:
            lock = asyncio.Lock()
            await end(asyncio.create_task(coroutine(lock, way)), way)
            print(f"a task {way} {when}; locked: {str(lock.locked()).lower()}")


asyncio.run(main())
