"""The twin of the scene a_task_awaits_itself, on CPython's asyncio."""
import asyncio


async def await_itself():
    print("awaits itself")
    try:
        await asyncio.current_task()
    except RuntimeError:
        print("the await is over: an error")
        raise


async def main():
    task = asyncio.create_task(await_itself())
    await asyncio.wait([task])
    print(f"done: {str(task.done()).lower()}, cancelled: {str(task.cancelled()).lower()}")
    task.exception()


asyncio.run(main())
