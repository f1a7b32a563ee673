"""The twin of the scene a_task_that_waits_for_a_thread_is_cancelled, on CPython's asyncio."""
import asyncio
import queue
import threading

begun = queue.SimpleQueue()


def work():
    gate = threading.Event()
    begun.put((threading.current_thread().name.replace("asyncio_", "loop-worker "), gate))
    gate.wait()
    print("the thread is done")


async def main():
    task = asyncio.create_task(asyncio.to_thread(work))
    await asyncio.sleep(0)
    thread, gate = begun.get()
    print(f"work 1 has begun, on {thread}")
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    print(f"the task has ended: cancelled = {str(task.cancelled()).lower()}")
    gate.set()


asyncio.run(main())
print("run has waited for the thread")
