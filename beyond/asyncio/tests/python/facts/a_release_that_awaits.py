"""A task is cancelled while it has a connection, and once more while it gives the connection back."""
import asyncio

pool = ["a connection"]


class Connection:
    async def __aenter__(self):
        self.connection = pool.pop()

    async def __aexit__(self, *_):
        # As if it had to tell the server first.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        pool.append(self.connection)


async def work():
    async with Connection():
        await asyncio.sleep(3600)


async def main(requests):
    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    for _ in range(requests):
        task.cancel()
        await asyncio.sleep(0)
    await asyncio.wait([task])
    print(f"cancellations: {requests}; in the pool: {len(pool)}")


for requests in 1, 2:
    asyncio.run(main(requests))
