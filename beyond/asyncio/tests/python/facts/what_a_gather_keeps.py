"""Where a gather differs from ours, and the words of a wait for nothing."""
import asyncio
import gc


async def fails():
    await asyncio.sleep(0)
    raise OSError("no such user")


async def main():
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: print("reported:", context["message"]))
    gathered = asyncio.gather(fails(), asyncio.sleep(0), return_exceptions=True)
    await asyncio.sleep(0)
    del gathered
    for _ in range(5):
        await asyncio.sleep(0)
    gc.collect()
    print("a pending gather that nothing refers to runs to its end")
    child = loop.create_future()
    gathered = asyncio.gather(child)
    child.cancel()
    await asyncio.wait([gathered])
    print("cancelled:", gathered.cancelled(), "exception:", type(gathered.exception()).__name__)
    try:
        await asyncio.wait([])
    except ValueError as error:
        print("wait:", error)


asyncio.run(main())
