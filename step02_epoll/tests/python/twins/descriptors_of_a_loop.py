"""Which descriptors asyncio opens before its first client, and which its epoll watches."""

import asyncio
import os
import re


def open_descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            pass  # The descriptor that os.listdir used is closed by now.
    return found


def watched(epoll):
    with open(f"/proc/self/fdinfo/{epoll}") as info:
        return [int(line.split()[1]) for line in info if line.startswith("tfd:")]


BEFORE = open_descriptors()


def opened():
    return {fd: kind for fd, kind in sorted(open_descriptors().items()) if fd not in BEFORE}


async def main():
    print("a new loop opens")
    first = opened()
    for kind in first.values():
        print(" ", re.sub(r"socket:\[\d+\]", "socket:[N]", kind))
    epoll = next(fd for fd, kind in first.items() if "eventpoll" in kind)
    sockets = [fd for fd, kind in first.items() if kind.startswith("socket")]
    is_first = watched(epoll) == sockets[:1]
    print("its epoll watches", "the first socket" if is_first else "something else")

    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    more = len(opened()) - len(first)
    print(f"a server adds {more} descriptor, and its epoll watches {len(watched(epoll))}")
    server.close()


asyncio.run(main())
