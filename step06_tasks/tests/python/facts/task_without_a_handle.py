"""What becomes of a task that nobody holds, in CPython's asyncio?"""
import asyncio
import gc
import weakref


async def wait_for_a_future_that_nobody_holds():
    await asyncio.get_running_loop().create_future()


async def main():
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    task = weakref.ref(asyncio.create_task(wait_for_a_future_that_nobody_holds()))
    await asyncio.sleep(0)
    gc.collect()
    print("collected while it waits:", task() is None)


asyncio.run(main())
