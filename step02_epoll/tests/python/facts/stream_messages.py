"""A conversation over an asyncio stream, with as many messages as the first argument says.

A test runs it under strace, with messages and without, and compares the calls of epoll_ctl.
"""
import asyncio
import sys


async def echo(reader, writer):
    while data := await reader.read(100):
        writer.write(data)
        await writer.drain()
    writer.close()
    await writer.wait_closed()


async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    for _ in range(int(sys.argv[1])):
        writer.write(b"hello")
        await writer.drain()
        await reader.readexactly(5)
    writer.close()
    await writer.wait_closed()
    # The server's side closes once it has read the end.
    while len(asyncio.all_tasks()) > 1:
        await asyncio.sleep(0)
    server.close()
    await server.wait_closed()


asyncio.run(main())
