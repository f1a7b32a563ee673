"""The twin of the scene a_group_in_a_group, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.members import member, show, unless_it_fails
from support.virtual_clock import VirtualLoop, time


async def inner_group(name, seconds):
    async with asyncio.TaskGroup() as inner:
        inner.create_task(member(name, seconds, 0))
        await asyncio.sleep(9)


async def outer_group(in_the_outer, in_the_inner, seconds):
    async with asyncio.TaskGroup() as outer:
        outer.create_task(member(in_the_outer, 2, 0))
        error = await unless_it_fails(inner_group(in_the_inner, seconds))
        print(f"{time()} s: the inner group: {show(error)}")
        if isinstance(error, asyncio.CancelledError):
            raise error


async def main():
    for names in (("outer", "bad", 1), ("bad", "inner", 9)):
        error = await unless_it_fails(outer_group(*names))
        print(f"{time()} s: the outer group: {show(error)}")


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
