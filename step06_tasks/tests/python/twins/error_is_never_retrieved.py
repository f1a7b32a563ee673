"""The twin of the scene error_is_never_retrieved, on CPython's asyncio."""
import asyncio


async def fail(text):
    raise LookupError(text)


async def main():
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(
        lambda _, context: print(f"  reported: {context['message']}: {context['exception']}"))

    print("a task fails, and its handle is dropped")
    task = asyncio.create_task(fail("no such user"))
    for _ in range(3):
        await asyncio.sleep(0)
    del task
    print("a future gets an exception and is dropped")
    future = loop.create_future()
    future.set_exception(LookupError("no such city"))
    del future
    print("a task fails and is asked for its exception")
    task = asyncio.create_task(fail("no such street"))
    for _ in range(3):
        await asyncio.sleep(0)
    print(f"  {task.exception()}")
    del task
    print("a task is cancelled")
    task = asyncio.create_task(fail("never raised"))
    task.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    del task
    print("end")


asyncio.run(main())
