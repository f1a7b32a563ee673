"""The twin of the scene what_write_and_drain_do, on CPython's asyncio."""
import asyncio
import socket


def receive(peer):
    try:
        while peer.recv(1 << 20):
            pass
    except BlockingIOError:
        pass


def lower(value):
    return str(value).lower()


async def main():
    ours, peer = socket.socketpair()
    peer.setblocking(False)
    _reader, writer = await asyncio.open_connection(sock=ours)
    unsent = writer.transport.get_write_buffer_size
    writer.transport.set_write_buffer_limits(high=1000, low=10)
    writer.write(b"!" * 500)
    await writer.drain()
    print("500 bytes are written:", unsent(), "are unsent")
    writer.write(b"!" * 500_000)
    print("500,000 bytes are written: more than 1,000 are unsent =", lower(unsent() > 1000))
    drain = asyncio.create_task(writer.drain())
    for _ in range(5):
        await asyncio.sleep(0)
    print("five turns later: drain has returned =", lower(drain.done()))
    while not drain.done():
        receive(peer)
        await asyncio.sleep(0)
    print("the peer has read: drain returned, at most 10 bytes unsent =", lower(unsent() <= 10))
    writer.close()


asyncio.run(main())
