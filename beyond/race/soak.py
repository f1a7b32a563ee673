"""Puts hostile clients beside good ones, for minutes, and fails if an echo server minds.

    python3 beyond/race/soak.py [options] -- SERVER [ARGUMENT ...]

SERVER is a program that prints "listening on 127.0.0.1:PORT" and serves until SIGINT. Half of the
clients are good: each sends messages of 1 byte to --largest bytes, and must get each back whole. The
other half are hostile, each in one way, again and again (see HOSTILE). Some connections are idle.

Every few seconds it prints the server's memory and descriptors. At the end all clients leave. Then
the server has to close their descriptors, and to use no processor time.

Needs nothing but python3 (3.11 or later).
"""
import argparse
import asyncio
import random
import signal
import socket
import struct
import time

from server import Server, run

NOISE = random.Random(1).randbytes(1 << 20)
CHUNK = 64 * 1024


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=10_000, help="half of them hostile")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--largest", type=int, default=100_000, help="message, in bytes")
    parser.add_argument("--pause", type=float, default=5, help="of a good client, in seconds, at most")
    parser.add_argument("--report", type=float, default=30, help="seconds between two lines")
    parser.add_argument("server", nargs="+")
    return parser.parse_args()


async def reset(rng, reader, writer):
    """Leaves in the middle of a message, without an end."""
    writer.write(NOISE[:rng.randrange(1, CHUNK)])
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


async def half_close(rng, reader, writer):
    """Ends its direction at once, and takes its time with the other one."""
    writer.write(NOISE[:rng.randrange(CHUNK)])
    writer.write_eof()
    await asyncio.sleep(rng.random() * 5)
    while await reader.read(CHUNK):
        pass


async def byte_per_second(rng, reader, writer):
    for _ in range(rng.randrange(5, 30)):
        writer.write(b"x")
        await asyncio.sleep(1)


async def never_read(rng, reader, writer):
    """Sends as long as there's room, and reads nothing."""
    writer.transport.pause_reading()
    try:
        async with asyncio.timeout(rng.uniform(5, 20)):
            while True:
                writer.write(NOISE[:CHUNK])
                await writer.drain()
                await asyncio.sleep(0.1)
    finally:
        writer.transport.abort()


async def connect_and_leave(rng, reader, writer):
    pass


async def flood(rng, reader, writer):
    """Sends as fast as it can, and reads what comes."""
    async def take():
        while await reader.read(CHUNK):
            pass

    taking = asyncio.create_task(take())
    for _ in range(32):
        writer.write(NOISE[:CHUNK])
        await writer.drain()
    writer.write_eof()
    await taking


async def silence(rng, reader, writer):
    await asyncio.sleep(rng.uniform(10, 60))


HOSTILE = (reset, half_close, byte_per_second, never_read, connect_and_leave, flood, silence)


class Count:
    def __init__(self):
        self.messages = self.bytes = self.hostile = 0
        self.slowest = 0.0


async def be_good(server, rng, options, count, end):
    reader, writer = await server.connect()
    while time.monotonic() < end:
        size = max(1, round(options.largest ** rng.random()))
        start = rng.randrange(len(NOISE) - size)
        message = NOISE[start:start + size]
        began = time.monotonic()
        writer.write(message)
        if await reader.readexactly(size) != message:
            raise ValueError("a message came back changed")
        count.slowest = max(count.slowest, time.monotonic() - began)
        count.messages += 1
        count.bytes += size
        await asyncio.sleep(rng.random() * options.pause)
    writer.write_eof()
    if await reader.read(1):
        raise ValueError("more came back than was sent")
    writer.close()


async def be_hostile(server, rng, way, count, end):
    while time.monotonic() < end:
        writer = None
        try:
            reader, writer = await server.connect()
            await way(rng, reader, writer)
        except (ConnectionError, TimeoutError):
            # The client's attack on the server may fail for the client, too.
            pass
        finally:
            if writer is not None:
                writer.close()
        count.hostile += 1
        await asyncio.sleep(rng.random() * 2)


def say(server, began, count):
    print(f"{time.monotonic() - began:5.0f} s: {server.descriptors()} descriptors, "
          f"{server.resident_kib() / 1024:.1f} MiB, {server.processor_seconds():.0f} s of processor "
          f"time; {count.messages} messages, {count.bytes / 2 ** 20:.0f} MiB each way, none wrong, "
          f"the slowest took {count.slowest:.1f} s; {count.hostile} hostile visits", flush=True)
    count.slowest = 0.0


async def soak(server, options):
    rng, count = random.Random(1), Count()
    began = time.monotonic()
    before = server.descriptors()
    end = began + options.seconds
    tasks = []
    async with asyncio.TaskGroup() as group:
        for number in range(options.connections):
            of_client = random.Random(rng.random())
            if number % 2 == 0:
                client = be_good(server, of_client, options, count, end)
            else:
                way = HOSTILE[number // 2 % len(HOSTILE)]
                client = be_hostile(server, of_client, way, count, end)
            tasks.append(group.create_task(client))
            if number % 100 == 99:
                # A listener's backlog is limited.
                await asyncio.sleep(0.05)
        while time.monotonic() < end:
            await asyncio.sleep(min(options.report, max(0, end - time.monotonic())))
            say(server, began, count)
    deadline = time.monotonic() + 30
    while server.descriptors() > before:
        if time.monotonic() > deadline:
            raise ValueError(f"{server.descriptors() - before} descriptors weren't closed")
        await asyncio.sleep(0.1)
    say(server, began, count)
    used = server.processor_seconds()
    await asyncio.sleep(5)
    used = server.processor_seconds() - used
    print(f"all have left: {server.descriptors()} descriptors as before, "
          f"{server.resident_kib() / 1024:.1f} MiB, {used:.2f} s of processor time in 5 s of silence",
          flush=True)
    if used > 0.1:
        raise ValueError("the server is busy, and nobody is there")


async def main():
    options = parse_arguments()
    server = await Server.start(options.server)
    try:
        await soak(server, options)
        server.process.send_signal(signal.SIGINT)
        code = await server.process.wait()
        if code != 0:
            raise ValueError(f"after SIGINT the server ended with code {code}")
    finally:
        if server.process.returncode is None:
            server.process.kill()


run(main())
