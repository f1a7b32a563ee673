"""Twelve sleeps and an echo server: CPython's own asyncio, which sleeps in the select of step 03."""
import asyncio
import sys

import workbook


class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        print("a client sent", data, flush=True)
        self.transport.write(data)


async def main(port):
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await asyncio.gather(*(asyncio.sleep(0.5) for _ in range(12)))
    print(f"twelve sleeps of half a second took {loop.time() - begun:.1f} s")

    server = await loop.create_server(Echo, "127.0.0.1", port)
    print("echoing on port", server.sockets[0].getsockname()[1], flush=True)
    await loop.create_future()  # until Ctrl-C


def new_loop():
    return asyncio.SelectorEventLoop(workbook.Selector())


try:
    # Since 3.12, this is asyncio.run(main(port), loop_factory=new_loop).
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7000))
except KeyboardInterrupt:
    print("Ctrl-C")
