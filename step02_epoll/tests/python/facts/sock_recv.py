"""Receives three bytes with loop.sock_recv, one at a time: each is there before, or comes after.

A test runs it under strace, and compares the calls of epoll_ctl.
"""
import asyncio
import socket
import sys


async def main():
    loop = asyncio.get_running_loop()
    near, far = socket.socketpair()
    near.setblocking(False)
    for _ in range(3):
        if sys.argv[1] == "before":
            far.send(b"x")
            await loop.sock_recv(near, 1)
        else:
            receiving = asyncio.create_task(loop.sock_recv(near, 1))
            await asyncio.sleep(0)
            far.send(b"x")
            await receiving
    near.close()
    far.close()


asyncio.run(main())
