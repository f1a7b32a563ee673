"""The twin of the scene when_epoll_ctl_is_refused: asyncio's streams, whose epoll refuses all changes.

asyncio makes each epoll_ctl through the register, modify and unregister of select.epoll. So here
these three fail as the kernel's refusal would.
"""
import asyncio
import errno
import os
import socket


class RefusingEpoll:
    """A select.epoll that can still wait, and that refuses every change of its list."""

    def __init__(self, epoll):
        self.poll = epoll.poll
        self.fileno = epoll.fileno
        self.close = epoll.close

    def register(self, *_):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    modify = unregister = register


async def receive(client, count):
    """Reads without the loop's epoll, so that only the server's side uses it."""
    received = b""
    while len(received) < count:
        try:
            received += client.recv(count - len(received))
        except BlockingIOError:
            await asyncio.sleep(0)
    return received.decode()


async def main():
    loop = asyncio.get_running_loop()

    async def echo(reader, writer):
        while data := await reader.read(64 * 1024):
            try:
                writer.write(data)
            except PermissionError:
                print("  the client sends, reads nothing: the loop needs epoll_ctl", flush=True)
                # The selector has forgotten a client that the kernel still has on its list.
                os._exit(0)

    # With so high a limit, the server never stops reading, as that needs epoll_ctl, too.
    server = await asyncio.start_server(echo, "127.0.0.1", 0, limit=1 << 30)
    client = socket.create_connection(server.sockets[0].getsockname())
    client.setblocking(False)
    # The server has registered the client by the time that it answers.
    client.send(b"!")
    await receive(client, 1)
    print("a client connects and is registered")

    loop._selector._selector = RefusingEpoll(loop._selector._selector)
    print("from now on, epoll_ctl is refused")
    for message in ("one", "two", "three"):
        client.send(message.encode())
        answer = await receive(client, len(message))
        print(f"  the client sends {message:<14} and receives {answer}")

    while True:
        try:
            client.send(b"x" * 64 * 1024)
        except BlockingIOError:
            pass
        await asyncio.sleep(0)


asyncio.run(main())
