"""On which addresses does a server listen that's started without a host, and does it take IPv6 only there?"""

import asyncio
import socket


async def main():
    server = await asyncio.start_server(lambda reader, writer: None, None, 0)
    for listener in sorted(server.sockets, key=lambda listener: listener.family):
        family, host = listener.family.name, listener.getsockname()[0]
        only = family == "AF_INET6" and listener.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
        print(family, host, "and nothing of IPv4" if only else "")
    server.close()


asyncio.run(main())
