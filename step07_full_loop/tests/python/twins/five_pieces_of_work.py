"""The twin of the scene five_pieces_of_work, on CPython's asyncio."""
import asyncio
import concurrent.futures
import queue
import threading

begun = queue.SimpleQueue()


def gated(number):
    gate = threading.Event()
    begun.put((number, threading.current_thread().name.replace("asyncio_", "loop-worker "), gate))
    gate.wait()
    return number


def next_work():
    number, thread, gate = begun.get()
    print(f"work {number} has begun, on {thread}")
    return number, gate


async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(
        concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="asyncio"))
    work = [loop.run_in_executor(None, gated, 1)]
    opened = [next_work()]
    work.append(loop.run_in_executor(None, gated, 2))
    opened.append(next_work())
    work.extend(loop.run_in_executor(None, gated, number) for number in (3, 4, 5))
    for future in work:
        number, gate = opened.pop(0)
        print(f"gate {number} opens")
        gate.set()
        print(f"work {await future} is done")
        if number <= 3:
            opened.append(next_work())


asyncio.run(main())
