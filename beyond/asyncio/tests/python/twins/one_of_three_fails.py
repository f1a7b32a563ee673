"""The twin of the scene one_of_three_fails, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.jobs import ended, job, report, show
from support.virtual_clock import VirtualLoop, time


def jobs():
    return [job(name, seconds) for name, seconds in (("quick", 1), ("bad", 2), ("slow", 3))]


def in_words(result):
    return f"error: {result}" if isinstance(result, Exception) else result


async def in_a_group():
    async with asyncio.TaskGroup() as group:
        for one in jobs():
            group.create_task(one)


async def main():
    print("gather")
    result = await ended(asyncio.gather(*jobs()))
    print(f"  {time()} s: gather has ended: {show(result)}")
    await asyncio.sleep(8)

    print("gather with return_exceptions")
    results = await asyncio.gather(*jobs(), return_exceptions=True)
    print(f"  {time()} s: gather has ended: {', '.join(map(in_words, results))}")
    await asyncio.sleep(7)

    print("TaskGroup")
    result = await ended(in_a_group())
    print(f"  {time()} s: the group has ended with {len(result.exceptions)} error")


loop = VirtualLoop()
loop.set_exception_handler(report)
loop.run_until_complete(main())
loop.close()
