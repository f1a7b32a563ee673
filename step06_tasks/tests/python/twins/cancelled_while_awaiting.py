"""The twin of the scene cancelled_while_awaiting, on CPython's asyncio."""
import asyncio


async def told(name, awaited):
    try:
        await awaited
    except asyncio.CancelledError:
        print(f"{name} gets: an error")
        raise


async def main():
    inner = asyncio.create_task(told("inner", asyncio.get_running_loop().create_future()))
    outer = asyncio.create_task(told("outer", inner))
    await asyncio.sleep(0)
    print(f"outer.cancel(): {str(outer.cancel()).lower()}")
    await asyncio.wait([inner, outer])
    print(f"requests to end: inner {inner.cancelling()}, outer {outer.cancelling()}")


asyncio.run(main())
