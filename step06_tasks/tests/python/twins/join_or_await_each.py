"""The twin of the scene join_or_await_each, on CPython's asyncio."""
import asyncio


async def work(name, seconds):
    try:
        await seconds
    except asyncio.CancelledError:
        print(f"  {name}: cancelled")
        raise


async def each(tasks):
    for task in tasks:
        await task


async def joined(tasks):
    await asyncio.gather(*tasks, return_exceptions=True)


async def main():
    loop = asyncio.get_running_loop()
    for name, wait in ("one after the other", each), ("joined", joined):
        print(f"{name}: the waiting task is cancelled")
        tasks = [asyncio.create_task(work(name, loop.create_future())) for name in "ABC"]
        waiting = asyncio.create_task(wait(tasks))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        print(f"  still running: {sum(not task.done() for task in tasks)}")
        for left in tasks:
            left.cancel()
        await asyncio.wait(tasks)


asyncio.run(main())
