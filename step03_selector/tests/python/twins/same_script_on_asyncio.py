"""The twin of the scene same_script_on_asyncio, on CPython's selectors."""
import os
import selectors
import socket
from selectors import EVENT_READ, EVENT_WRITE

WORDS = {EVENT_READ: "READABLE", EVENT_WRITE: "WRITABLE",
         EVENT_READ | EVENT_WRITE: "READABLE | WRITABLE"}


def taken(call, *arguments):
    try:
        call(*arguments)
    except (KeyError, ValueError):
        return "refused"
    return "taken"


def ready(selector, timeout=0):
    found = sorted(f"[{key.data} {WORDS[events]}]" for key, events in selector.select(timeout))
    return ", ".join(found) or "nothing"


def play(selector, say):
    near, far = socket.socketpair()
    near.setblocking(False)
    quiet, quiet_writer = os.pipe()
    selector.register(near, EVENT_READ, "near")
    selector.register(quiet, EVENT_READ, "quiet")
    say(f"register it twice:      {taken(selector.register, near, EVENT_READ, 'again')}")
    say(f"wait for nothing:       {taken(selector.register, far, 0, 'far')}")
    say(f"unregister a stranger:  {taken(selector.unregister, far)}")
    say(f"modify a stranger:      {taken(selector.modify, far, EVENT_READ, 'far')}")

    say(f"nobody has written:     {ready(selector)}")
    far.send(b"hello")
    say(f"hello came:             {ready(selector)}")
    selector.modify(near, EVENT_READ | EVENT_WRITE, "near")
    say(f"both directions:        {ready(selector)}")
    selector.modify(near, EVENT_WRITE, "another name")
    say(f"to write, renamed:      {ready(selector)}")
    selector.modify(near, EVENT_READ, "near")
    near.recv(16)
    say(f"to read, all was read:  {ready(selector)}")

    os.close(quiet_writer)
    say(f"quiet's writer left:    {ready(selector, None)}")
    far.close()
    say(f"near's other end, too:  {ready(selector, None)}")
    selector.unregister(quiet)
    selector.unregister(near)
    say(f"both are off:           {ready(selector)}")
    os.close(quiet)
    near.close()


def lines_of(backend):
    lines = []
    with backend() as selector:
        play(selector, lines.append)
    return lines


epoll = lines_of(selectors.EpollSelector)
print(*epoll, sep="\n")
print(f"poll(2) tells the same: {str(lines_of(selectors.PollSelector) == epoll).lower()}")
print(f"select(2) tells the same: {str(lines_of(selectors.SelectSelector) == epoll).lower()}")
