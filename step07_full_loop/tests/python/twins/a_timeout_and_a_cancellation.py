"""The twin of the scene a_timeout_and_a_cancellation, on CPython's asyncio with a clock that costs no time."""
import asyncio

loop = asyncio.new_event_loop()
now = 0
select = loop._selector.select


def sleep_on_the_clock(timeout):
    global now
    now += timeout or 0
    return select(0)


loop.time = lambda: now
loop._selector.select = sleep_on_the_clock


def show(error):
    if error is None:
        return "a result"
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "another error"


async def limited(name, scope, block):
    error = None
    try:
        async with scope:
            await block
    except BaseException as caught:
        error = caught
    expired = str(scope.expired()).lower()
    print(f"  {now} s: out of the {name} block: {show(error)}, expired = {expired}")
    if error is not None:
        raise error


async def unless_it_fails(block):
    try:
        await block
    except BaseException as error:
        return error


async def main():
    for limit, cancels in ((2, 2), (1, 2), (2, 1)):
        print(f"a limit of {limit} s, and cancelled after {cancels} s")
        task = asyncio.create_task(limited("only", asyncio.timeout(limit), asyncio.sleep(9)))
        loop.call_later(cancels, task.cancel)
        error = await unless_it_fails(task)
        print(f"  the task: {show(error)}, requests to end: {task.cancelling()}")
        await asyncio.sleep(5)


loop.run_until_complete(main())
loop.close()
