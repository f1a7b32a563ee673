"""The twin of the scene a_thread_finishes_a_future, on CPython's asyncio."""
import asyncio
import threading

loop = asyncio.new_event_loop()
future = loop.create_future()
sent = []


def state():
    return "done" if future.done() else "pending"


def complete(future, value):
    try:
        loop.call_soon_threadsafe(future.set_result, value)
        sent.append("sent")
    except RuntimeError as error:
        sent.append(str(error))


def on_a_thread(*arguments):
    thread = threading.Thread(target=complete, args=arguments)
    thread.start()
    thread.join()


async def wait_and_stop():
    print("  the task waits")
    future.add_done_callback(lambda _: print("  a callback of the future"))
    print(f"  the task goes on: {await future}")
    loop.stop()


def count_ticks(tick):
    def callback():
        print(f"tick {tick}")
        count_ticks(tick + 1)
    loop.call_soon(callback)


def act():
    on_a_thread(future, "hello")
    print(f"  a thread has sent the result: {str(sent.pop() == 'sent').lower()}")
    print(f"  the future is {state()}")
    loop.call_soon(lambda: print(f"  a callback scheduled later; the future is {state()}"))


task = loop.create_task(wait_and_stop())
count_ticks(1)
loop.call_soon(lambda: loop.call_soon(act))
loop.run_forever()
loop.close()
on_a_thread(future, None)
print(f"a result that arrives too late: {sent.pop()}")
