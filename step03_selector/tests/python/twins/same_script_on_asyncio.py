"""The script of the scene same_script_on_asyncio, on CPython's three selectors."""
import os
import selectors
import socket
from selectors import EVENT_READ, EVENT_WRITE

WORDS = {EVENT_READ: "READABLE", EVENT_WRITE: "WRITABLE",
         EVENT_READ | EVENT_WRITE: "READABLE | WRITABLE"}


def accepted(call, *arguments):
    try:
        call(*arguments)
    except (KeyError, ValueError):
        return "refused"
    return "accepted"


def ready(selector, timeout=0):
    found = sorted(f"[{key.data} {WORDS[events]}]" for key, events in selector.select(timeout))
    return ", ".join(found) or "nothing"


def play(selector, say):
    near, far = socket.socketpair()
    near.setblocking(False)
    quiet, quiet_writer = os.pipe()
    selector.register(near, EVENT_READ, "near")
    selector.register(quiet, EVENT_READ, "quiet")
    say(f"register near twice:        {accepted(selector.register, near, EVENT_READ, 'again')}")
    say(f"register far for nothing:   {accepted(selector.register, far, 0, 'far')}")
    say(f"unregister far:             {accepted(selector.unregister, far)}")
    say(f"modify far:                 {accepted(selector.modify, far, EVENT_READ, 'far')}")

    say(f"nothing is written:         {ready(selector)}")
    far.send(b"hello")
    say(f"far writes:                 {ready(selector)}")
    selector.modify(near, EVENT_READ | EVENT_WRITE, "near")
    say(f"near, both directions:      {ready(selector)}")
    selector.modify(near, EVENT_WRITE, "renamed")
    say(f"near, WRITABLE, renamed:    {ready(selector)}")
    selector.modify(near, EVENT_READ, "near")
    near.recv(16)
    say(f"near, READABLE, all read:   {ready(selector)}")

    os.close(quiet_writer)
    say(f"quiet's writer closes:      {ready(selector, None)}")
    far.close()
    say(f"far closes:                 {ready(selector, None)}")
    selector.unregister(quiet)
    selector.unregister(near)
    say(f"both are unregistered:      {ready(selector)}")
    os.close(quiet)
    near.close()


def lines_of(backend):
    lines = []
    with backend() as selector:
        play(selector, lines.append)
    return lines


epoll = lines_of(selectors.EpollSelector)
print(*epoll, sep="\n")
for name, backend in ("poll(2)", selectors.PollSelector), ("select(2)", selectors.SelectSelector):
    print(f"on {name}:", "the same lines" if lines_of(backend) == epoll else "other lines")
