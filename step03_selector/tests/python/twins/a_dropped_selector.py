"""Counts epoll descriptors while CPython's default selector and an asyncio loop come and go."""
import asyncio
import os
import selectors


def epoll_descriptors():
    count = 0
    for fd in os.listdir("/proc/self/fd"):
        try:
            count += os.readlink(f"/proc/self/fd/{fd}") == "anon_inode:[eventpoll]"
        except FileNotFoundError:
            pass  # The descriptor that os.listdir used is closed by now.
    return count


others = [name for name in ("PollSelector", "SelectSelector") if hasattr(selectors, name)]
print(f"the default selector:    {selectors.DefaultSelector.__name__}")
print(f"the others:              {', '.join(others)}")
print(f"epoll descriptors:       {epoll_descriptors()}")
selector = selectors.DefaultSelector()
print(f"  a selector is made:    {epoll_descriptors()}")
reader, writer = os.pipe()
selector.register(reader, selectors.EVENT_READ, "reader")
selector.register(writer, selectors.EVENT_WRITE, "writer")
print(f"  a pipe is registered:  {epoll_descriptors()}")
selector.close()
print(f"  the selector is gone:  {epoll_descriptors()}")
print(f"bytes the pipe takes:    {os.write(writer, b'x')}")
print("epoll descriptors")
loop = asyncio.new_event_loop()
print(f"  a loop is made:        {epoll_descriptors()}")
loop.close()
print(f"  the loop is gone:      {epoll_descriptors()}")
