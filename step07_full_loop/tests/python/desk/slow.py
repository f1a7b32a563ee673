import asyncio
import logging
import time


def load(size):
    time.sleep(size / 1000)


async def request(size):
    load(size)


async def main():
    asyncio.get_running_loop().slow_callback_duration = 0.4
    async with asyncio.TaskGroup() as group:
        for size in 1, 2, 800, 3:
            group.create_task(request(size), name=f"request of {size}")


logging.basicConfig(format="%(name)s: %(message)s")
asyncio.run(main(), debug=True)
