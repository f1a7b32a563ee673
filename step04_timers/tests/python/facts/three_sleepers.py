"""What asyncio.sleep(5) adds to the loop, and how often a sleeping loop waits."""
import asyncio
import inspect
import threading


async def main():
    loop = asyncio.get_running_loop()
    sleeper = asyncio.sleep(5)
    task = loop.create_task(sleeper)
    print("before its first step:", len(loop._scheduled), inspect.getcoroutinestate(sleeper))
    await asyncio.sleep(0)
    print("asleep:", len(loop._scheduled), inspect.getcoroutinestate(sleeper))
    print("threads:", threading.active_count())
    task.cancel()

    waits = 0
    select = loop._selector.select

    def counted(timeout):
        nonlocal waits
        waits += 1
        return select(timeout)

    loop._selector.select = counted
    await asyncio.sleep(0.2)
    # One tick ends the cancelled task, one sleeps, and one runs the future's callback.
    print("waits in a sleep of 0.2 s:", "a handful" if waits < 10 else waits)


asyncio.run(main())
