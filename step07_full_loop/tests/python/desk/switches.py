import asyncio
import time


async def answer():
    time.sleep(0.2)


async def main():
    answer()
    await asyncio.create_task(answer())


asyncio.run(main())
