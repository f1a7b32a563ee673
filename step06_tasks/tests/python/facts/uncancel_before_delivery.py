"""A task cancels itself and takes the request back before it awaits anything."""
import asyncio
import sys


async def cancel_and_take_back():
    asyncio.current_task().cancel()
    asyncio.current_task().uncancel()
    await asyncio.sleep(0)


async def main():
    task = asyncio.create_task(cancel_and_take_back())
    await asyncio.wait([task])
    print("3.13 or later:" if sys.version_info >= (3, 13) else "before 3.13:",
          "cancelled" if task.cancelled() else "returned")


asyncio.run(main())
