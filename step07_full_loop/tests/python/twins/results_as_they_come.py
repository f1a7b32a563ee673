"""The twin of the scene results_as_they_come, on CPython's asyncio with a clock that costs no time."""
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


async def main():
    jobs = (("slow", 3), ("slowest", 9), ("quick", 1), ("bad", 2))
    jobs = [job(name, seconds) for name, seconds in jobs]
    for coming in asyncio.as_completed(jobs, timeout=4):
        result = await ended(coming)
        print(f"{now} s: {show(result)}")
    await asyncio.sleep(9)


loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
