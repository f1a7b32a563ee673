"""The twin of the scene five_items_and_a_queue, on CPython's asyncio with a clock that costs
no time."""
import asyncio

from support.virtual_clock import VirtualLoop, time


async def consume(queue):
    for _ in range(5):
        await asyncio.sleep(1)
        await queue.get()


async def main(maxsize):
    print(f"maxsize = {maxsize}")
    queue = asyncio.Queue(maxsize)
    consumer = asyncio.create_task(consume(queue))
    for item in range(1, 6):
        await queue.put(item)
        print(f"  {time()}s: put {item}; items in the queue: {queue.qsize()}")
    await consumer


for maxsize in 0, 2:
    loop = VirtualLoop()
    loop.run_until_complete(main(maxsize))
    loop.close()
