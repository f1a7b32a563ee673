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


class LongAnswer(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, _request):
        self.transport.write(bytes(10_000_000))
        self.transport.close()


async def a_long_answer_over_a_socket():
    server = await asyncio.get_running_loop().create_server(LongAnswer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"all of it, please\n")
    try:
        async with asyncio.timeout(2):
            return f"{len(await reader.read(-1))} bytes have come"
    except TimeoutError:
        return "it hasn't come"
    finally:
        writer.close()
        server.close()


async def main(names):
    for thing in (a_sleep_beside_a_busy_task, an_answer_from_a_thread, a_long_answer_over_a_socket):
        if not names or thing.__name__ in names:
            print(thing.__name__.replace("_", " "), end=": ", flush=True)
            begun = time.monotonic()
            print(await thing(), f"after {time.monotonic() - begun:.1f} s")


with asyncio.Runner(loop_factory=workbook.EventLoop) as runner:
    runner.run(main(sys.argv[1:]))
