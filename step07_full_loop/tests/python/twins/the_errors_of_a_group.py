"""The twin of the scene the_errors_of_a_group, on CPython's asyncio with a clock that costs no time."""
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


async def grouped():
    async with asyncio.TaskGroup() as group:
        group.create_task(member("quick", 1, 0))
        group.create_task(member("bad", 2, 0))
        group.create_task(member("untidy", 8, 1))
        group.create_task(member("slow", 9, 2))
        cancelled = await unless_it_fails(asyncio.sleep(9))
        print(f"  {now} s: the block: {show(cancelled)}")
        late = member("late", 1, 0)
        try:
            group.create_task(late)
        except RuntimeError:
            late.close()
            print(f"  {now} s: the group refuses one more task = true")
        raise cancelled


async def main():
    error = await unless_it_fails(grouped())
    print(f"{now} s: {show(error)}")
    requests = asyncio.current_task().cancelling()
    print(f"requests to end that are left: {requests}")
    await asyncio.sleep(1)
    print(f"{now} s: the next sleep was a whole one")


loop.run_until_complete(main())
loop.close()
