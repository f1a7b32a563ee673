"""The twin of the scene five_ways_to_wait, on CPython's asyncio with a clock that costs no time."""
import asyncio


loop = asyncio.new_event_loop()
now = 0
select = loop._selector.select


def sleep_on_the_clock(timeout):
    """Where the loop would sleep, its clock jumps."""
    global now
    now += timeout or 0
    return select(0)


loop.time = lambda: now
loop._selector.select = sleep_on_the_clock

async def after(seconds, outcome):
    await asyncio.sleep(seconds)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def three_tasks():
    outcomes = "A", ValueError("B fails"), "C"
    return [loop.create_task(after(index + 1, outcome)) for index, outcome in enumerate(outcomes)]


async def outcome_of(awaitable):
    try:
        return await awaitable
    except ValueError as error:
        return error


async def main():
    began = now
    outcome = await outcome_of(asyncio.gather(*three_tasks()))
    print(f"gather: {outcome}, after {now - began} s")

    began = now
    outcomes = await asyncio.gather(*three_tasks(), return_exceptions=True)
    outcomes = ", ".join(map(str, outcomes))
    print(f"gather_return_exceptions: {outcomes}, after {now - began} s")

    for mode, name in [
        (asyncio.FIRST_COMPLETED, "FirstCompleted"),
        (asyncio.FIRST_EXCEPTION, "FirstException"),
    ]:
        began = now
        tasks = three_tasks()
        done, pending = await asyncio.wait(tasks, return_when=mode)
        outcomes = [str(await outcome_of(task)) for task in tasks if task in done]
        outcomes = ", ".join(outcomes)
        print(f"wait, {name}: {outcomes}; {len(pending)} pending, after {now - began} s")

    began = now
    for following in asyncio.as_completed(three_tasks()):
        outcome = await outcome_of(following)
        print(f"as_completed: {outcome}, after {now - began} s")


loop.set_exception_handler(lambda loop, context: None)
loop.run_until_complete(main())
loop.close()
