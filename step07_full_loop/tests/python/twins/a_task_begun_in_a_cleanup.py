"""The twin of the scene a_task_begun_in_a_cleanup, on CPython's asyncio."""
import asyncio
import gc


def report(loop, context):
    message = context["message"].replace("asyncio.run()", "run()")
    error = context.get("exception")
    print(f"reported: {message}: {error}" if error else f"reported: {message}")


async def sleeper():
    print("the late task begins")
    await asyncio.sleep(3600)


async def untidy():
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("the task is cancelled: true; it starts another task")
        asyncio.create_task(sleeper())
    raise RuntimeError("no room for the crumbs")


async def main():
    asyncio.get_running_loop().set_exception_handler(report)
    asyncio.get_running_loop().untidy = asyncio.create_task(untidy())
    await asyncio.sleep(0)
    print("main ends")


asyncio.run(main())
# The collector finds a task that nothing can end any more; here, close() does.
gc.collect()
print("run has returned")
