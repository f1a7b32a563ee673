"""The twin of the scene what_cancel_does, on CPython's asyncio."""
import asyncio


async def pass_on(never):
    print(f"pass_on: got {await never}")


async def clean_up(never):
    try:
        await never
    except asyncio.CancelledError:
        print("clean_up: got an error, awaits again")
        await asyncio.sleep(0)
        print("clean_up: cleaned up")
        raise


async def swallow(never):
    try:
        await never
    except asyncio.CancelledError:
        print("swallow: got an error, returns 7 anyway")
        return 7


async def main():
    loop = asyncio.get_running_loop()
    tasks = {f.__name__: loop.create_task(f(loop.create_future()))
             for f in (pass_on, clean_up, swallow)}
    await asyncio.sleep(0)
    for name, task in tasks.items():
        cancel, cancelled = str(task.cancel()).lower(), str(task.cancelled()).lower()
        print(f"{name}: cancel() = {cancel}, cancelled() = {cancelled}")
    await asyncio.wait(tasks.values())
    for name, task in tasks.items():
        print(f"{name}: cancelled() = {str(task.cancelled()).lower()}")
        print(f"{name}: cancel() once more = {str(task.cancel()).lower()}")


asyncio.run(main())
