"""The twin of the scene a_sibling_runs_on, on CPython's asyncio with a clock that costs no time."""
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


def report(loop, context):
    print(f"  an error is reported: {context['exception']}")


async def job(name, seconds):
    how = "is cancelled"
    try:
        await asyncio.sleep(seconds)
        how = "fails" if name.startswith("bad") else "ends"
    finally:
        print(f"  {now} s: {name} {how}")
    if how == "fails":
        raise ValueError(name)
    return name


def show(result):
    if isinstance(result, asyncio.CancelledError):
        return "cancelled"
    if isinstance(result, TimeoutError):
        return "timed out"
    if isinstance(result, Exception):
        return f"error: {result}"
    if isinstance(result, list):
        return f"[{', '.join(map(show, result))}]"
    return f'"{result}"'


async def ended(awaitable):
    try:
        return await awaitable
    except BaseException as error:
        return error


def jobs():
    return [job(name, seconds) for name, seconds in (("quick", 1), ("bad", 2), ("slow", 3))]


async def in_a_group():
    async with asyncio.TaskGroup() as group:
        for one in jobs():
            group.create_task(one)


async def main():
    print("gather")
    result = await ended(asyncio.gather(*jobs()))
    print(f"  {now} s: gather has ended: {show(result)}")
    await asyncio.sleep(8)

    print("gather with return_exceptions")
    results = await asyncio.gather(*jobs(), return_exceptions=True)
    print(f"  {now} s: gather has ended: {', '.join(map(show, results))}")
    await asyncio.sleep(7)

    print("TaskGroup")
    result = await ended(in_a_group())
    print(f"  {now} s: the group has ended: {show(result)}")


loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
