"""Three things that every asyncio program relies on, for a hunt: each shows a mistake in another layer."""
import asyncio
import sys
import time

import workbook


async def a_sleep_beside_a_busy_task():
    async def is_busy():
        while True:
            await asyncio.sleep(0)

    busy = asyncio.create_task(is_busy())
    await asyncio.sleep(0.1)
    busy.cancel()
    return "has fired"


async def an_answer_from_a_thread():
    other = asyncio.create_task(asyncio.sleep(2))
    answer = await asyncio.to_thread(lambda: "has come")
    other.cancel()
    return answer


async def a_long_answer_to_a_slow_client():
    async def serve(reader, writer):
        writer.write(bytes(10_000_000))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    try:
        async with asyncio.timeout(2):
            arrived = len(await reader.read(-1))
    except TimeoutError:
        arrived = "not all of it"
    writer.close()
    server.close()
    return f"{arrived} bytes"


async def main(names):
    for thing in (a_sleep_beside_a_busy_task, an_answer_from_a_thread, a_long_answer_to_a_slow_client):
        if not names or thing.__name__ in names:
            print(thing.__name__.replace("_", " "), end=": ", flush=True)
            begun = time.monotonic()
            print(await thing(), f"after {time.monotonic() - begun:.1f} s")


with asyncio.Runner(loop_factory=workbook.EventLoop) as runner:
    runner.run(main(sys.argv[1:]))
