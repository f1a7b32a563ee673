"""The twin of the scene work_is_cancelled, on CPython's asyncio."""
import asyncio
import concurrent.futures
import queue
import threading

begun = queue.SimpleQueue()


def work(number):
    if number == 1:
        gate = threading.Event()
        begun.put((threading.current_thread().name.replace("asyncio_", "loop-worker "), gate))
        gate.wait()
    print(f"  the thread has done work {number}")
    return number


def state(future):
    return "cancelled" if future.cancelled() else "done"


async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(
        concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="asyncio"))
    first = loop.run_in_executor(None, work, 1)
    second = loop.run_in_executor(None, work, 2)
    thread, gate = begun.get()
    print(f"work 1 has begun, on {thread}")
    first_cancel, second_cancel = str(first.cancel()).lower(), str(second.cancel()).lower()
    print(f"cancel work 1: {first_cancel}, cancel work 2: {second_cancel}")
    await asyncio.sleep(0)
    print("gate 1 opens")
    gate.set()
    print(f"work 3 returns {await asyncio.to_thread(work, 3)}")
    print(f"work 1 is {state(first)}, and work 2 is {state(second)}")


asyncio.run(main())
