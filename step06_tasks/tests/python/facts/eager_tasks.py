"""When the first step of a task runs, with the task factory that CPython 3.12 has brought."""
import asyncio


async def begin():
    print("begins", end=", ")


async def main():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    task = asyncio.create_task(begin())
    print("create_task has returned")
    await task


if hasattr(asyncio, "eager_task_factory"):
    asyncio.run(main())
else:
    print("no eager tasks before 3.12")
