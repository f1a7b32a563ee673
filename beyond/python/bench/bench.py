"""What the loop costs, beside stock asyncio and uvloop (if it's installed), with FastAPI and uvicorn (if they are):
a table in Markdown.

    cargo run --release -p python -- beyond/python/bench/bench.py [--rounds 5] [NAME…]

Each figure is the CPU time of one operation relative to stock's, so less is better: a median of pairs, for which the
contestants run one after the other, each in a process of its own. On a busy machine differences below 10 % mean nothing.
"""

import argparse
import asyncio
import importlib.util
import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__)
# stock64 is stock with one field of its transports changed: the size of a read, 256 KiB in stock.
CONTESTANTS = ["stock", "stock64", "ours", "uvloop"]
SECONDS = 1.0


def new_loop(contestant):
    if contestant == "uvloop":
        import uvloop

        return uvloop.new_event_loop()
    if contestant == "ours":
        import workbook

        return workbook.new_event_loop()
    if contestant == "stock64":
        asyncio.selector_events._SelectorTransport.max_size = 64 * 1024
    return asyncio.SelectorEventLoop()


class Watch:
    """Counts operations until the time is over, and stops the loop then."""

    def __init__(self, loop):
        self.loop, self.count = loop, 0
        self.until = time.perf_counter() + SECONDS

    def is_over(self, operations):
        self.count += operations
        if time.perf_counter() < self.until:
            return False
        self.loop.stop()
        return True


def call_soon(loop):
    """`call_soon`, one a tick"""
    watch = Watch(loop)

    def again():
        nonlocal left
        left -= 1
        if left:
            loop.call_soon(again)
        elif not watch.is_over(1000):
            left = 1000
            loop.call_soon(again)

    left = 1000
    loop.call_soon(again)
    loop.run_forever()
    return watch.count


def call_soon_1000(loop):
    """`call_soon`, a thousand a tick"""
    watch = Watch(loop)

    def nothing():
        pass

    def again():
        for _ in range(999):
            loop.call_soon(nothing)
        if not watch.is_over(1000):
            loop.call_soon(again)

    loop.call_soon(again)
    loop.run_forever()
    return watch.count


def in_a_task(coroutine):
    def run(loop):
        watch = Watch(loop)
        task = loop.create_task(coroutine(loop, watch))
        loop.run_forever()
        loop.run_until_complete(task)
        return watch.count

    run.__name__, run.__doc__ = coroutine.__name__, coroutine.__doc__
    return run


@in_a_task
async def sleep_0(loop, watch):
    """`sleep(0)`"""
    while not watch.is_over(1000):
        for _ in range(1000):
            await asyncio.sleep(0)


@in_a_task
async def tasks(loop, watch):
    """a task made and awaited"""

    async def nothing():
        pass

    while not watch.is_over(1000):
        for _ in range(1000):
            await loop.create_task(nothing())


@in_a_task
async def timers(loop, watch):
    """a timer made and cancelled"""
    while not watch.is_over(1000):
        for _ in range(1000):
            loop.call_later(60, print).cancel()
        await asyncio.sleep(0)


def firing(loop):
    """a timer that fires"""
    watch = Watch(loop)

    def again():
        nonlocal left
        left -= 1
        if left:
            loop.call_later(0, again)
        elif not watch.is_over(1000):
            left = 1000
            loop.call_later(0, again)

    left = 1000
    loop.call_later(0, again)
    loop.run_forever()
    return watch.count


def wakes(loop):
    """a wake by another thread, and back"""
    watch = Watch(loop)
    asked = threading.Semaphore(0)
    is_over = False

    def answer():
        while True:
            asked.acquire()
            if is_over:
                return
            loop.call_soon_threadsafe(answered)

    def answered():
        nonlocal is_over
        is_over = watch.is_over(1)
        asked.release()

    thread = threading.Thread(target=answer)
    thread.start()
    asked.release()
    loop.run_forever()
    thread.join()
    return watch.count


class Echo(asyncio.Protocol):
    count = 0

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        Echo.count += 1
        self.transport.write(data)


def served(loop, server, asks="echo"):
    """Answers the 64 connections of another process."""
    host, port = server.sockets[0].getsockname()[:2]
    client = subprocess.Popen([sys.executable, HERE, "--client", str(port), asks], stdout=subprocess.PIPE)
    # The cost of connecting isn't counted.
    connected = loop.run_in_executor(None, client.stdout.readline)
    loop.run_until_complete(connected)
    before, cpu = Echo.count, time.process_time()
    loop.call_later(2 * SECONDS, loop.stop)
    loop.run_forever()
    served.cpu = time.process_time() - cpu
    client.kill()
    client.wait()
    return Echo.count - before


def echo_protocols(loop):
    """echo by protocols, 64 connections"""
    return served(loop, loop.run_until_complete(loop.create_server(Echo, "127.0.0.1", 0)))


def echo_streams(loop):
    """echo by streams, 64 connections"""

    async def answer(reader, writer):
        while line := await reader.readline():
            Echo.count += 1
            writer.write(line)
            await writer.drain()

    return served(loop, loop.run_until_complete(asyncio.start_server(answer, "127.0.0.1", 0)))


def uvicorn(loop):
    """a request to a bare ASGI app under uvicorn"""

    async def app(scope, receive, send):
        Echo.count += 1
        headers = [(b"content-type", b"application/json"), (b"content-length", b"17")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"hello":"world"}'})

    return served_by_uvicorn(loop, app)


def fastapi(loop):
    """a request to FastAPI under uvicorn"""
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/")
    async def hello():
        Echo.count += 1
        return {"hello": "world"}

    return served_by_uvicorn(loop, app)


def served_by_uvicorn(loop, app):
    from uvicorn import Config, Server

    server = Server(Config(app, port=0, lifespan="off", log_level="error", access_log=False))
    serving = loop.create_task(server.serve())
    while not server.started:
        loop.run_until_complete(asyncio.sleep(0.01))
    assert not serving.done()
    return served(loop, server.servers[0], "http")


# The bytes that a client sends, and the end of an answer.
TALKS = {
    "echo": (b"x" * 63 + b"\n", b"\n"),
    "http": (b"GET / HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\nuser-agent: bench\r\n\r\n", b"}"),
}


def client(port, asks):
    message, end = TALKS[asks]

    class Asks(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport = transport
            transport.write(message)

        def data_received(self, data):
            if data.endswith(end):
                self.transport.write(message)

        def connection_lost(self, error):
            os._exit(0)

    async def main():
        asyncio.selector_events._SelectorTransport.max_size = 64 * 1024
        loop = asyncio.get_running_loop()
        for _ in range(64):
            await loop.create_connection(Asks, "127.0.0.1", port)
        print("connected", flush=True)
        await asyncio.sleep(60)

    asyncio.run(main())


BENCHMARKS = [call_soon, call_soon_1000, sleep_0, timers, firing, tasks, wakes, echo_protocols, echo_streams, uvicorn, fastapi]
# The loads whose messages arrive through asyncio's transports.
READING = (echo_protocols, echo_streams, uvicorn, fastapi)
NEED = {uvicorn: "uvicorn", fastapi: "fastapi"}


def measure(contestant, name):
    """Returns the operations in a second of CPU time."""
    benchmark = globals()[name]
    loop = new_loop(contestant)
    asyncio.set_event_loop(loop)
    # With an idle socket, so that each tick has to ask the kernel.
    idle, other = socket.socketpair()
    idle.setblocking(False)
    loop.add_reader(idle, print)
    began = time.process_time()
    count = benchmark(loop)
    took = getattr(served, "cpu", None) or time.process_time() - began
    print(count / took, flush=True)
    os._exit(0)


def memory(contestant, kind):
    """Returns the bytes that each of 200,000 waiting callbacks or timers takes."""
    loop, count = new_loop(contestant), 200_000
    schedule = loop.call_soon if kind == "callback" else lambda call: loop.call_later(60, call)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(1000):
        schedule(print)
    before = resident()
    for _ in range(count):
        schedule(print)
    print((resident() - before) / count, flush=True)
    os._exit(0)


def ask(*words):
    command = [sys.executable, HERE, *words]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5, help="how many pairs (5)")
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(it.__name__ for it in BENCHMARKS))
    options.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    options.add_argument("--client", nargs=2, help=argparse.SUPPRESS)
    options = options.parse_args()
    if options.measure:
        return measure(*options.measure)
    if options.memory:
        return memory(*options.memory)
    if options.client:
        return client(int(options.client[0]), options.client[1])

    contestants = [it for it in CONTESTANTS if it != "uvloop" or importlib.util.find_spec("uvloop")]
    print(f"Python {sys.version.split()[0]}, {options.rounds} rounds\n")
    print("| CPU time, relative to stock | stock, a second | " + " | ".join(contestants[1:]) + " |")
    print("| --- " * (len(contestants) + 1) + "|")
    for benchmark in BENCHMARKS:
        if options.names and benchmark.__name__ not in options.names:
            continue
        if benchmark in NEED and not importlib.util.find_spec(NEED[benchmark]):
            print(f"| ({benchmark.__doc__}: {NEED[benchmark]} isn't installed) " + "| " * len(contestants) + "|")
            continue
        running = [it for it in contestants if it != "stock64" or benchmark in READING]
        rates = {contestant: [] for contestant in running}
        for _ in range(options.rounds):
            for contestant in running:
                rates[contestant].append(ask("--measure", contestant, benchmark.__name__))
        row = [benchmark.__doc__, f"{statistics.median(rates['stock']) / 1000:.0f} k"]
        for contestant in contestants[1:]:
            pairs = zip(rates["stock"], rates.get(contestant, []))
            ratios = [stock / theirs for stock, theirs in pairs]
            row.append(f"{statistics.median(ratios):.2f}" if ratios else "")
        print("| " + " | ".join(row) + " |", flush=True)
    if not options.names:
        print("\n| bytes of | " + " | ".join(it for it in contestants if it != "stock64") + " |")
        print("| --- " * len([it for it in contestants if it != "stock64"]) + "| --- |")
        for kind in ("callback", "timer"):
            sizes = [ask("--memory", it, kind) for it in contestants if it != "stock64"]
            print(f"| a {kind} | " + " | ".join(f"{size:.0f}" for size in sizes) + " |")


if __name__ == "__main__":
    main()
