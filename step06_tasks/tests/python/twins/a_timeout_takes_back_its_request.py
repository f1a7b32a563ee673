"""The twin of the scene a_timeout_takes_back_its_request, on CPython's asyncio."""
import asyncio


async def fetch(answer):
    try:
        return await answer
    except asyncio.CancelledError:
        left = asyncio.current_task().uncancel()
        print(f"  an error; the timeout takes its request back; requests left: {left}")
        if left > 0:
            raise
        await asyncio.sleep(0)
        return 0


def ending(task):
    return "cancelled" if task.cancelled() else f"returned {task.result()}"


async def main():
    for who in ["the timeout"], ["the timeout", "the user"]:
        task = asyncio.create_task(fetch(asyncio.get_running_loop().create_future()))
        await asyncio.sleep(0)
        print(f"cancelled by {' and '.join(who)}")
        for _ in who:
            task.cancel()
        await asyncio.wait([task])
        print(f"  the task: {ending(task)}, cancelling() = {task.cancelling()}")


asyncio.run(main())
