"""What asyncio has open before it serves anybody, and what its epoll watches."""

import asyncio
import os
import re


def open_descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            pass  # The listing itself needed a descriptor, which is closed by now.
    return found


def watched(epoll):
    with open(f"/proc/self/fdinfo/{epoll}") as info:
        return [int(line.split()[1]) for line in info if line.startswith("tfd:")]


BEFORE = open_descriptors()


def opened():
    return {n: kind for n, kind in sorted(open_descriptors().items()) if n not in BEFORE}


async def main():
    print("a loop that serves nobody has open, beside what was")
    first = opened()
    for kind in first.values():
        print(" ", re.sub(r"socket:\[\d+\]", "socket:[N]", kind))
    epoll = next(n for n, kind in first.items() if "eventpoll" in kind)
    sockets = [n for n, kind in first.items() if kind.startswith("socket")]
    is_first = str(watched(epoll) == sockets[:1]).lower()
    print(f"epoll watches the first socket: {is_first}")

    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    more = len(opened()) - len(first)
    print(f"with a server: {more} more, and epoll watches {len(watched(epoll))}")
    server.close()


asyncio.run(main())
