"""The twin of the scene readline_with_a_limit, on CPython's asyncio."""
import asyncio
import socket


async def outcome(read):
    try:
        return await read
    except (ValueError, asyncio.LimitOverrunError) as error:
        return error


async def main():
    ours, peer = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours, limit=10)
    peer.send(b"just right\na line too long\nshort\n")
    for _ in range(3):
        print("readline:", await outcome(reader.readline()))
    peer.send(b"too long as well|next|")
    for _ in range(2):
        print("read_until '|':", await outcome(reader.readuntil(b"|")))
    print("read:", await outcome(reader.read(17)))
    print("read_until '|':", await outcome(reader.readuntil(b"|")))
    writer.close()


asyncio.run(main())
