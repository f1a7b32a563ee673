"""The twin of the scene ticks_of_run_until_complete, on CPython's asyncio."""
import asyncio

ticks = 0
loop = asyncio.new_event_loop()


def count_ticks():
    global ticks
    ticks += 1
    loop.call_soon(count_ticks)


def run(awaitable):
    global ticks
    result = loop.run_until_complete(awaitable)
    text = f"{result}, ticks: {ticks}"
    ticks = 0
    return text


async def quick():
    return "the task's result"


async def wait_for(future):
    return await future


count_ticks()
ticks = 0
future = loop.create_future()
future.set_result("the future's result")
print("a future:", run(future))
print("a task:", run(loop.create_task(quick())))
print("a coroutine that awaits the future:", run(wait_for(future)))
other = asyncio.new_event_loop()
try:
    other.run_until_complete(future)
except ValueError as error:
    print("another loop:", error)
other.close()
loop.close()
