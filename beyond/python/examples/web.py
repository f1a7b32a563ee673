"""A web server of one page, without any dependency. Run it on your loop:

    cargo run -- run-mine python -- beyond/python/examples/web.py
"""
import asyncio
import sys
import time
from urllib.parse import urlsplit

import workbook


def page():
    loop = asyncio.get_running_loop()
    return f"Served by {type(loop).__module__}.{type(loop).__name__}\n"


async def nap():
    await asyncio.sleep(1)
    return "Slept for a second\n"


async def compute():
    time.sleep(0.5)  # as if it computed: nothing else runs meanwhile
    return "Computed\n"


async def serve(reader, writer):
    try:
        method, target, _version = (await reader.readline()).split()
        while (await reader.readline()).strip():
            pass  # the headers
        match urlsplit(target.decode()).path:
            case "/":
                status, body = "200 OK", page()
            case "/nap":
                status, body = "200 OK", await nap()
            case "/compute":
                status, body = "200 OK", await compute()
            case path:
                status, body = "404 Not Found", f"There's no {path} here\n"
        head = f"HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()
    except (ValueError, ConnectionError):
        pass  # that was no request, or its client has left
    finally:
        writer.close()


async def main(port):
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/ (Ctrl-C ends it)", flush=True)
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    try:
        # Since 3.12, this is asyncio.run(main(port), loop_factory=workbook.EventLoop).
        with asyncio.Runner(loop_factory=workbook.EventLoop) as runner:
            runner.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8000))
    except KeyboardInterrupt:
        pass
