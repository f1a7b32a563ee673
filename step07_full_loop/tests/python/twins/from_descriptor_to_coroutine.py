"""The twin of the scene from_descriptor_to_coroutine, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()
reader, writer = os.pipe()
future = loop.create_future()


async def wait_for(future):
    print("  the task awaits the future")
    count = await future
    print(f"  the task goes on: {count} byte")


def on_readable():
    count = len(os.read(reader, 16))
    future.set_result(count)
    print("  the pipe's reader reads and sets the future's result")


def count_ticks(tick):
    print(f"tick {tick}")
    if tick == 2:
        os.write(writer, b"!")
        print("  a byte is written into the pipe")
    loop.call_soon(count_ticks, tick + 1)


loop.add_reader(reader, on_readable)
loop.call_soon(count_ticks, 1)
loop.run_until_complete(wait_for(future))
loop.remove_reader(reader)
loop.close()
