"""The twin of the scene nested_timeouts, on CPython's asyncio with a clock that costs no time."""
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
    for outer, inner in ((3, 1), (1, 3), (2, 2)):
        print(f"{now} s: the inner limit is {inner} s, the outer {outer} s")
        block = limited("inner", asyncio.timeout(inner), asyncio.sleep(9))
        await unless_it_fails(limited("outer", asyncio.timeout(outer), block))
        requests = asyncio.current_task().cancelling()
        print(f"  requests to end that are left: {requests}")


loop.run_until_complete(main())
loop.close()
