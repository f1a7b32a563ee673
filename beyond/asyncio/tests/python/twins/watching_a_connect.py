"""The twin of the scene watching_a_connect, on CPython's asyncio."""
import asyncio
import errno
import select
import socket


def full():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    return listener, socket.create_connection(listener.getsockname())


def verdict(connecting):
    error = connecting.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        return "ConnectionRefused" if error == errno.ECONNREFUSED else str(error)
    try:
        connecting.getpeername()
    except OSError:
        return "not yet connected"
    return "connected"


async def attempt(address, answers):
    loop = asyncio.get_running_loop()
    connecting = socket.socket()
    connecting.setblocking(False)
    connecting.connect_ex(address)
    writable = []
    loop.add_writer(connecting, writable.append, True)
    if answers:
        select.select([], [connecting], [])
    for _ in range(3):
        await asyncio.sleep(0)
    loop.remove_writer(connecting)
    return f"writable = {str(bool(writable)).lower()}, {verdict(connecting)}"


async def main():
    listening = socket.create_server(("127.0.0.1", 0))
    # It has a port, and doesn't listen there.
    refusing = socket.socket()
    refusing.bind(("127.0.0.1", 0))
    queue, _in_the_queue = full()
    destinations = {"a listener": listening, "no listener": refusing, "a full queue": queue}
    for name, destination in destinations.items():
        answers = destination is not queue
        print(f"{name}: {await attempt(destination.getsockname(), answers)}")


asyncio.run(main())
