"""The twin of the scene stopped_in_the_middle, on CPython's asyncio."""
import asyncio
import gc

loop = asyncio.new_event_loop()


def report(loop, context):
    print("  reported:", context["message"])


async def stop_and_go_on():
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0.001)
    print("  the coroutine goes on after stop() and a sleep")


def refusal(awaitable):
    try:
        loop.run_until_complete(awaitable)
    except RuntimeError as error:
        return error
    return "no error"


loop.set_exception_handler(report)
task = loop.create_task(stop_and_go_on())
print("a task:", refusal(task))
print("  is done:", str(task.done()).lower())
print("again:", refusal(task))
print("a coroutine:", refusal(stop_and_go_on()))
lost = loop.create_task(stop_and_go_on())
print("close")
loop.close()
# The collector finds tasks that nothing can end any more; here, close() does.
del lost, task
gc.collect()
