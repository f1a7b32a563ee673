"""What a task sends to its coroutine, and what comes out of it."""
import asyncio
import collections.abc


class Recorder(collections.abc.Coroutine):
    def __init__(self, coroutine):
        self.coroutine = coroutine

    def send(self, value):
        print(f"sent {value}", end=", ")
        try:
            yielded = self.coroutine.send(value)
        except StopIteration as end:
            print(f"returned {end.value}")
            raise
        print(f"yielded {'nothing' if yielded is None else 'a future'}")
        return yielded

    def throw(self, *error):
        return self.coroutine.throw(*error)

    def close(self):
        self.coroutine.close()

    def __await__(self):
        return self


async def yield_and_wait(future):
    await asyncio.sleep(0)
    return await future


async def main():
    future = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(Recorder(yield_and_wait(future)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    future.set_result(42)
    await task


asyncio.run(main())
