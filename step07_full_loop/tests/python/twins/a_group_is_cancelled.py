"""The twin of the scene a_group_is_cancelled, on CPython's asyncio with a clock that costs no time."""
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
        return "no error"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    if isinstance(error, ExceptionGroup):
        return f"{error}: [{', '.join(map(show, error.exceptions))}]"
    return str(error)


async def member(name, seconds, cleans_up):
    how = "ends"
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        how = "is cancelled"
        await asyncio.sleep(cleans_up)
        raise
    finally:
        if name == "bad" or name == "untidy" and how == "is cancelled":
            how = "fails"
        print(f"  {now} s: {name} {how}")
        if how == "fails":
            raise ValueError(name)


async def unless_it_fails(block):
    try:
        await block
    except BaseException as error:
        return error


async def grouped(second):
    async with asyncio.TaskGroup() as group:
        group.create_task(member("one", 8, 1))
        group.create_task(member(second, 9, 2))
        cancelled = await unless_it_fails(asyncio.sleep(9))
        print(f"  {now} s: the block: {show(cancelled)}")
        raise cancelled


async def main():
    for second in ("other", "untidy"):
        task = asyncio.create_task(grouped(second))
        await asyncio.sleep(1)
        print(f"{now} s: the task is asked to end: {str(task.cancel()).lower()}")
        error = await unless_it_fails(task)
        print(f"  {now} s: the task: {show(error)}")


loop.run_until_complete(main())
loop.close()
