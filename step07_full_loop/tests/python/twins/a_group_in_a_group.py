"""The twin of the scene a_group_in_a_group, on CPython's asyncio with a clock that costs no time."""
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


async def inner_group(name, seconds):
    async with asyncio.TaskGroup() as inner:
        inner.create_task(member(name, seconds, 0))
        await asyncio.sleep(9)


async def outer_group(in_the_outer, in_the_inner, seconds):
    async with asyncio.TaskGroup() as outer:
        outer.create_task(member(in_the_outer, 2, 0))
        error = await unless_it_fails(inner_group(in_the_inner, seconds))
        print(f"{now} s: the inner group: {show(error)}")
        if isinstance(error, asyncio.CancelledError):
            raise error


async def main():
    for names in (("outer", "bad", 1), ("bad", "inner", 9)):
        error = await unless_it_fails(outer_group(*names))
        print(f"{now} s: the outer group: {show(error)}")


loop.run_until_complete(main())
loop.close()
