"""A task cancels itself and takes the request back before it awaits anything."""
import asyncio


async def cancel_and_take_back():
    asyncio.current_task().cancel()
    asyncio.current_task().uncancel()
    await asyncio.sleep(0)


async def main():
    task = asyncio.create_task(cancel_and_take_back())
    await asyncio.wait([task])
    print("cancelled" if task.cancelled() else "returned")


asyncio.run(main())
