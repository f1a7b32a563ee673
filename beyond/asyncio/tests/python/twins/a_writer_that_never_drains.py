"""The twin of the scene a_writer_that_never_drains, on CPython's asyncio."""
import asyncio
import socket

CHUNK = 64 * 1024


async def send(writer, drains):
    for _ in range(100):
        writer.write(b"!" * CHUNK)
        if drains:
            await writer.drain()


def amount(count):
    chunks = count // CHUNK
    if chunks <= 1:
        return "at most 128 KiB"
    return "more than 5 MiB" if chunks >= 80 else "another amount"


async def main():
    for drains in [False, True]:
        ours, peer = socket.socketpair()
        _reader, writer = await asyncio.open_connection(sock=ours)
        sending = asyncio.create_task(send(writer, drains))
        for _ in range(200):
            await asyncio.sleep(0)
        unsent = amount(writer.transport.get_write_buffer_size())
        says = [str(it).lower() for it in (drains, sending.done())]
        print(f"drains = {says[0]}: done = {says[1]}, unsent: {unsent}")
        sending.cancel()
        writer.transport.abort()


asyncio.run(main())
