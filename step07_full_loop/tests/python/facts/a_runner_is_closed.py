"""What a runner does at its end with callbacks that are pending, and what it says afterwards."""
import asyncio


async def main():
    return asyncio.create_task(asyncio.sleep(3600))


def turns(runner):
    """A callback that schedules itself again counts how often it has its turn in close."""
    count = 0

    def again():
        nonlocal count
        count += 1
        runner.get_loop().call_soon(again)

    runner.get_loop().call_soon(again)
    runner.close()
    return count


idle, busy = asyncio.Runner(), asyncio.Runner()
print("turns without a task:", turns(idle))
task = busy.run(main())
print("turns with a task:", turns(busy))
stopped = asyncio.Runner()
stopped.get_loop().call_soon(stopped.get_loop().stop)
stopped.close()
coroutine = main()
try:
    idle.run(coroutine)
except RuntimeError as error:
    print("run:", error)
coroutine.close()
