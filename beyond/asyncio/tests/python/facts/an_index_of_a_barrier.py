"""The indices of three tasks that meet at a barrier, after a fourth one was cancelled there."""

import asyncio


async def main():
    barrier = asyncio.Barrier(3)
    first = asyncio.create_task(barrier.wait())
    second = asyncio.create_task(barrier.wait())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    others = [asyncio.create_task(barrier.wait()) for _ in range(2)]
    print(sorted([await second, await others[0], await others[1]]))


asyncio.run(main())
