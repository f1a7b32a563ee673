"""The twin of the scene three_lines_in_pieces, on CPython's asyncio."""
import asyncio
import socket


async def main():
    ours, peer = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    peer.send(b"Ann\n")
    peer.send(b"Bo")
    print("read 100:", await reader.read(100))
    peer.send(b"b\nCy\n")
    print("read 4:", await reader.read(4))
    print("readline:", await reader.readline())
    writer.close()


asyncio.run(main())
