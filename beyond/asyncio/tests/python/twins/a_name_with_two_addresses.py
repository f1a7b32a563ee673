"""The twin of the scene a_name_with_two_addresses, on CPython's asyncio."""
import asyncio
import socket


async def attempt(loop, addresses):
    loop.found = addresses
    try:
        await asyncio.open_connection("several", 0)
    except OSError as error:
        if str(error).startswith("Multiple exceptions: "):
            return "Multiple exceptions"
        if isinstance(error, ConnectionRefusedError):
            return "refused"
        return "another error"
    return "connected"


class Loop(asyncio.SelectorEventLoop):
    """A name has the addresses that we choose."""

    async def getaddrinfo(self, host, port, **options):
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, address) for address in self.found]


def bound():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    return sock


async def main():
    loop = asyncio.get_running_loop()
    sockets = one, other, listening = bound(), bound(), bound()
    listening.listen()
    one, other, good = kept = [sock.getsockname() for sock in sockets]
    print("a refusing address:", await attempt(loop, [one]))
    print("two refusing addresses:", await attempt(loop, [one, other]))
    loop.found = kept
    _reader, writer = await asyncio.open_connection("several", 0)
    is_third = str(writer.get_extra_info("peername") == good).lower()
    print("two refusing addresses and a listener: connected to the listener =", is_third)
    writer.close()


loop = Loop()
loop.run_until_complete(main())
loop.close()
