"""The twin of the scene a_threads_result_and_a_callback, on CPython's asyncio.

The first job waits until run_in_executor has returned. If it has ended by then, CPython from 3.14 on finishes the
future at once (`_chain_future` in futures.py asks whether this thread's loop is the future's own), and up to 3.13 it
still sends the result through the loop. On this loop, a result always comes that way: which of two orders a program
sees shouldn't hang on how fast a thread was.
"""
import asyncio
import concurrent.futures
import threading


def state(is_done):
    return "done" if is_done else "pending"


loop = asyncio.new_event_loop()
loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))


def callback():
    begun = threading.Event()
    has_future = threading.Event()
    first = loop.run_in_executor(None, has_future.wait)
    first.add_done_callback(lambda _: print("the future's callback"))
    loop.run_in_executor(None, begun.set)
    has_future.set()
    has_sent = str(begun.wait()).lower()
    print(f"the thread has sent its first result: {has_sent}; the future is {state(first.done())}")

    def b():
        print("callback B, scheduled by A")
        loop.stop()

    def a():
        print(f"callback A, scheduled after that; the future is {state(first.done())}")
        loop.call_soon(b)

    loop.call_soon(a)


loop.call_soon(callback)
loop.run_forever()
loop.close()
