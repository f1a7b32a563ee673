"""The twin of the scene cancelled_twice, on CPython's asyncio."""
import asyncio


async def flush_at_the_end(never, flushed):
    try:
        await never
    except asyncio.CancelledError:
        print("  an error; flushes before it ends")
        try:
            await flushed
        except asyncio.CancelledError:
            print("  an error; the flush is given up")
        raise


async def main():
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(flush_at_the_end(loop.create_future(), loop.create_future()))
    await asyncio.sleep(0)

    task.cancel()
    task.cancel()
    print(f"cancelled twice, cancelling() = {task.cancelling()}")
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    print(f"cancelled again, cancelling() = {task.cancelling()}")
    await asyncio.wait([task])
    print(f"the task: {'cancelled' if task.cancelled() else 'returned'}")


asyncio.run(main())
