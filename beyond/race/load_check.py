"""Loads an echo server with clients written in CPython's asyncio, and fails if it misbehaves.

    python3 beyond/race/load_check.py [options] -- SERVER [ARGUMENT ...]

SERVER is a program that prints "listening on 127.0.0.1:PORT" and serves until SIGINT. Three things
are asked of it, and the figures printed:

  talk    many connections at once, each sends messages of 1 byte to --largest bytes, and gets each
          back whole and in order
  idle    many connections are held open, and a few of them still talk
  signal  SIGINT while clients talk: the server ends with exit code 0, and its port is free

Needs nothing but python3 (3.11 or later).
"""
import argparse
import asyncio
import random
import signal
import time

from server import Server, run

# The most bytes that a client may have sent without getting them back.
WINDOW = 256 * 1024


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=1000, help="that talk at once")
    parser.add_argument("--messages", type=int, default=100, help="a connection sends")
    parser.add_argument("--largest", type=int, default=1 << 20, help="message, in bytes")
    parser.add_argument("--idle", type=int, default=10_000, help="connections held open")
    parser.add_argument("--patience", type=float, default=300, help="in seconds, for each part")
    parser.add_argument("--seed", type=int, default=1, help="of the messages' sizes")
    parser.add_argument("server", nargs="+")
    return parser.parse_args()


def message_of(rng, largest):
    """Sizes are spread evenly over the orders of magnitude; the bytes are a window into NOISE."""
    size = min(largest, max(1, round(largest ** rng.random())))
    start = rng.randrange(len(NOISE) - size + 1)
    return memoryview(NOISE)[start:start + size]


class Window:
    """How much a client has sent and not got back. Without a bound a thousand clients would ask the
    kernel for more socket memory than it grants (net.ipv4.tcp_mem), and it would reset them."""

    def __init__(self):
        self.unanswered = 0
        self.room = asyncio.Event()

    async def sent(self, count):
        self.unanswered += count
        while self.unanswered > WINDOW:
            self.room.clear()
            await self.room.wait()

    def answered(self, count):
        self.unanswered -= count
        self.room.set()


async def send(writer, messages, window):
    for message in messages:
        writer.write(message)
        await writer.drain()
        await window.sent(len(message))
    writer.write_eof()


async def talk(server, number, options):
    """One client: sends all, reads all, compares. Returns how many bytes came back."""
    rng = random.Random(options.seed * 1_000_003 + number)
    messages = [message_of(rng, options.largest) for _ in range(options.messages)]
    reader, writer = await server.connect()
    async with asyncio.TaskGroup() as group:
        window = Window()
        group.create_task(send(writer, messages, window))
        for message in messages:
            if await reader.readexactly(len(message)) != message:
                raise ValueError(f"client {number}: a message came back changed")
            window.answered(len(message))
    if await reader.read(1):
        raise ValueError(f"client {number}: more came back than was sent")
    writer.close()
    await writer.wait_closed()
    return sum(map(len, messages))


async def all_talk(server, options):
    began, used = time.monotonic(), server.processor_seconds()
    async with asyncio.TaskGroup() as group:
        talks = [group.create_task(talk(server, number, options))
                 for number in range(options.connections)]
    took, used = time.monotonic() - began, server.processor_seconds() - used
    count = options.connections * options.messages
    print(f"talk: {options.connections} connections at once, {count} messages, "
          f"{sum(task.result() for task in talks) / 2 ** 20:.0f} MiB each way, nothing lost or reordered; "
          f"{took:.1f} s, of which the server worked {used:.1f} s", flush=True)


async def connect_idle(server, count):
    """Opens them a hundred at a time, as a listener's backlog is limited."""
    held = []
    while len(held) < count:
        batch = min(100, count - len(held))
        held += await asyncio.gather(*(server.connect() for _ in range(batch)))
    return held


async def all_idle(server, options):
    before = server.resident_kib()
    held = await connect_idle(server, options.idle)
    for reader, writer in held[::max(1, len(held) // 100)]:
        writer.write(b"still there?")
        if await reader.readexactly(12) != b"still there?":
            raise ValueError("an idle connection answered something else")
    grown, used = server.resident_kib() - before, server.processor_seconds()
    await asyncio.sleep(1)
    used = server.processor_seconds() - used
    print(f"idle: {len(held)} connections held, {grown * 1024 / len(held):.0f} bytes of the server "
          f"each; it worked {used:.2f} s in 1 s of silence", flush=True)
    for _, writer in held:
        writer.close()


async def chatter(server):
    """Talks until the server goes away, however it does."""
    reader, writer = await server.connect()
    try:
        while True:
            writer.write(b"x" * 10_000)
            await reader.readexactly(10_000)
            server.talked.set()
    except (ConnectionError, asyncio.IncompleteReadError):
        writer.close()


async def interrupt(server):
    server.talked = asyncio.Event()
    clients = [asyncio.create_task(chatter(server)) for _ in range(100)]
    await server.talked.wait()
    server.process.send_signal(signal.SIGINT)
    began = time.monotonic()
    code = await server.process.wait()
    took = time.monotonic() - began
    await asyncio.gather(*clients)
    if code != 0:
        raise ValueError(f"after SIGINT the server ended with code {code}")
    try:
        await server.connect()
    except ConnectionRefusedError:
        print(f"signal: SIGINT under load, exit code 0 after {took * 1000:.0f} ms, "
              "the port is free", flush=True)
    else:
        raise ValueError("after SIGINT somebody still listens")


async def main():
    options = parse_arguments()
    global NOISE
    NOISE = random.Random(options.seed).randbytes(2 * options.largest)
    server = await Server.start(options.server)
    try:
        async with asyncio.timeout(options.patience):
            await all_talk(server, options)
        async with asyncio.timeout(options.patience):
            await all_idle(server, options)
        async with asyncio.timeout(options.patience):
            await interrupt(server)
    finally:
        if server.process.returncode is None:
            server.process.kill()


run(main())
