"""The twin of the scene four_datagrams, on CPython's asyncio."""
import asyncio
import socket


def datagrams():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    made.bind(("127.0.0.1", 0))
    return made


async def main():
    loop = asyncio.get_running_loop()
    ours, peer = datagrams(), datagrams()
    for message in [b"Ann", b"", b"Bob", b"Cy"]:
        await loop.sock_sendto(peer, message, ours.getsockname())
    for room in [100, 100, 2, 100]:
        message, _from = await loop.sock_recvfrom(ours, room)
        print(f"receive {room}:", message)


asyncio.run(main())
