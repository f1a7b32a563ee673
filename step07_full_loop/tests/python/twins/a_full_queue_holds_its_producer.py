"""The twin of the scene a_full_queue_holds_its_producer, on CPython's asyncio with a clock that costs
no time."""
import asyncio


loop = asyncio.new_event_loop()
now = 0
select = loop._selector.select


def sleep_on_the_clock(timeout):
    """Where the loop would sleep, its clock jumps."""
    global now
    now += timeout or 0
    return select(0)


loop.time = lambda: now
loop._selector.select = sleep_on_the_clock

async def consume(queue):
    for _ in range(5):
        await asyncio.sleep(1)
        await queue.get()


async def main(maxsize):
    global now
    now = 0
    print(f"maxsize = {maxsize}")
    queue = asyncio.Queue(maxsize)
    consumer = asyncio.create_task(consume(queue))
    for item in range(1, 6):
        await queue.put(item)
        print(f"  {now}s: put {item}, {queue.qsize()} in the queue")
    await consumer


for maxsize in 0, 2:
    loop.run_until_complete(main(maxsize))
loop.close()
