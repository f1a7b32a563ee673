"""Reads lines for `cargo run --release -p race -- lines` in CPython.

    echo "20 1000000 WRITER" | python3 beyond/race/python/lines.py

Says "ready", or "not at hand: …" if CPython is older than 3.11. Then it
reads lines with a length, a number, and a program that's started as `WRITER --writer 20 1000000` and
writes so many lines. It prints the nanoseconds of processor time that it took to read them.
"""
import asyncio
import socket
import subprocess
import sys
from time import thread_time_ns


async def read_lines(ours):
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    lines = received = 0
    began = thread_time_ns()
    while line := await reader.readline():
        lines += 1
        received += len(line)
    took = thread_time_ns() - began
    writer.close()
    return lines, received, took


def main():
    if sys.version_info < (3, 11):
        print("not at hand: asyncio.Runner is new in 3.11", flush=True)
        return
    print("ready", flush=True)
    for request in sys.stdin:
        length, count, program = request.rstrip("\n").split(maxsplit=2)
        ours, theirs = socket.socketpair()
        command = [program, "--writer", length, count]
        with theirs:
            peer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs)
        with asyncio.Runner() as runner:
            lines, received, took = runner.run(read_lines(ours))
        if (peer.wait(), lines, received) != (0, int(count), int(count) * int(length)):
            raise ValueError(f"{lines} lines of {received} bytes were read")
        print(took, flush=True)


main()
