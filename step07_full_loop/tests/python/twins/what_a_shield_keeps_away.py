"""The twin of the scene what_a_shield_keeps_away, on CPython's asyncio with a clock that costs no time."""
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


async def shielded(name):
    return await asyncio.shield(job(name, 3))


async def main():
    for name in ("the saving", "bad saving"):
        task = asyncio.create_task(shielded(name))
        await asyncio.sleep(1)
        print(f"{now} s: the task is asked to end: {str(task.cancel()).lower()}")
        result = await ended(task)
        print(f"  {now} s: the task: {show(result)}")
        await asyncio.sleep(4)


loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
