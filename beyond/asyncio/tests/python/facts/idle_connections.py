"""What ten thousand connections cost that do nothing, in CPython's asyncio.

The example idle_connections measures it on our loop. The figures go to standard error. With
arguments, it's the process that holds the clients.
"""
import asyncio
import resource
import socket
import sys

CLIENTS = 10_000


async def echo(reader, writer):
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
    writer.close()


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    before = resident()
    clients = await asyncio.create_subprocess_exec(
        sys.executable, __file__, str(address[1]), stdin=-1, stdout=-1)
    await clients.stdout.readline()
    each = (resident() - before) // CLIENTS
    print(f"{each} bytes in RAM each", file=sys.stderr)
    clients.stdin.close()
    await clients.wait()


def stay(port):
    clients = []
    for _ in range(CLIENTS):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"hello\n")
        client.recv(6)
        clients.append(client)
    print("ready", flush=True)
    sys.stdin.read()


_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
if len(sys.argv) > 1:
    stay(int(sys.argv[1]))
else:
    asyncio.run(main())
