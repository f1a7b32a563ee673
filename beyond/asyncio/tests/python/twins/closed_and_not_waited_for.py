"""The twin of the scene closed_and_not_waited_for, on CPython's asyncio."""
import asyncio
import gc
import socket
import threading

MEBIBYTE = 1 << 20


def read_to_the_end(peer, received):
    while data := peer.recv(65536):
        received.append(len(data))


async def answer(ours, waits):
    _reader, writer = await asyncio.open_connection(sock=ours)
    writer.write(b"!" * MEBIBYTE)
    writer.close()
    if waits:
        await writer.wait_closed()


def play(name, waits):
    received = []
    ours, peer = socket.socketpair()
    reading = threading.Thread(target=read_to_the_end, args=(peer, received))
    if waits:
        reading.start()
    asyncio.run(answer(ours, waits))
    if not waits:
        # The transport still has the socket, and nothing else has the transport.
        ours.close()
        del ours
        gc.collect()
        reading.start()
    reading.join()
    arrived = str(sum(received) == MEBIBYTE).lower()
    print(f"{name}: all bytes arrive: {arrived}, then the end")


play("close alone", False)
play("with wait_closed", True)
