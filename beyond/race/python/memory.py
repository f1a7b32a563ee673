"""Says what tasks that wait cost in CPython: python3 beyond/race/python/memory.py KIND COUNT

KIND is "future" or "sleep". Prints the bytes that COUNT tasks add to what the process reserves and
to what it has in memory.
"""
import asyncio
import os
import sys


def pages():
    with open("/proc/self/statm") as statm:
        return [int(field) for field in statm.read().split()[:2]]


async def wait(future):
    return await future


async def main(kind, count):
    loop = asyncio.get_running_loop()
    before = pages()
    if kind == "future":
        tasks = [asyncio.create_task(wait(loop.create_future())) for _ in range(count)]
    else:
        tasks = [asyncio.create_task(asyncio.sleep(3600)) for _ in range(count)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)
    page = os.sysconf("SC_PAGE_SIZE")
    print(*((after - first) * page for first, after in zip(before, pages())), flush=True)
    # At once, instead of cancelling a hundred thousand tasks one by one.
    os._exit(0)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
