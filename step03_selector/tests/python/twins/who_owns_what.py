"""The twin of the scene who_owns_what, on CPython's selectors and asyncio."""
import asyncio
import os
import selectors


def epoll_descriptors():
    count = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            count += os.readlink(f"/proc/self/fd/{number}") == "anon_inode:[eventpoll]"
        except FileNotFoundError:
            pass  # the descriptor of the listing itself
    return count


others = [name for name in ("PollSelector", "SelectSelector") if hasattr(selectors, name)]
print(f"the default selector:  {selectors.DefaultSelector.__name__}")
print(f"also here:             {', '.join(others)}")
print(f"epoll descriptors:     {epoll_descriptors()}")
selector = selectors.DefaultSelector()
print(f"a selector is made:    {epoll_descriptors()}")
reader, writer = os.pipe()
selector.register(reader, selectors.EVENT_READ, "reader")
selector.register(writer, selectors.EVENT_WRITE, "writer")
print(f"two are registered:    {epoll_descriptors()}")
selector.close()
print(f"the selector is gone:  {epoll_descriptors()}")
print(f"the pipe takes a byte: {str(os.write(writer, b'x') == 1).lower()}")
loop = asyncio.new_event_loop()
print(f"a loop is made:        {epoll_descriptors()}")
loop.close()
print(f"the loop is gone:      {epoll_descriptors()}")
