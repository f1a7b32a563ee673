"""The twin of the scene read_exactly_with_an_early_end, on CPython's asyncio."""
import asyncio
import socket


async def main():
    ours, peer = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    peer.send(b"hel")
    peer.shutdown(socket.SHUT_WR)
    try:
        await reader.readexactly(5)
    except asyncio.IncompleteReadError as error:
        print("read_exactly 5:", error)
        print("the error holds:", error.partial)
    print("at_eof:", str(reader.at_eof()).lower())
    print("read:", await reader.read(5))
    writer.write(b"the other direction is open")
    writer.close()
    await writer.wait_closed()
    print("the peer receives:", peer.recv(100))


asyncio.run(main())
