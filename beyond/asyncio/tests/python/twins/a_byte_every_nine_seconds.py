"""The twin of the scene a_byte_every_nine_seconds, on CPython's asyncio with a clock that costs no time."""
import asyncio
import socket


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

LIMIT = 10


async def send_slowly(peer):
    for byte in b"a request\n":
        await asyncio.sleep(9)
        peer.send(bytes([byte]))
        # The server sees it before the clock moves on.
        for _ in range(3):
            await asyncio.sleep(0)


async def read_by_read(reader):
    line = b""
    while not line.endswith(b"\n"):
        async with asyncio.timeout(LIMIT):
            line += await reader.read(100)
    return line


async def read_line(reader):
    async with asyncio.timeout(LIMIT):
        return await reader.readline()


async def main():
    for per_read in [True, False]:
        ours, peer = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        client = asyncio.create_task(send_slowly(peer))
        began = now
        try:
            line = await (read_by_read(reader) if per_read else read_line(reader))
            outcome = f"a line of {len(line)} bytes"
        except TimeoutError:
            outcome = "timed out"
        print(f"a limit per read = {str(per_read).lower()}: after {now - began:g}s, {outcome}")
        client.cancel()


loop.run_until_complete(main())
