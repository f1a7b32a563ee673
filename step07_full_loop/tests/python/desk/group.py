import asyncio


async def part(name, delay):
    try:
        await asyncio.sleep(delay)
        print(name, "is done")
        if name == "b":
            raise ValueError("b has failed")
    finally:
        print(name, "cleans up")


async def main():
    try:
        async with asyncio.timeout(1), asyncio.TaskGroup() as group:
            group.create_task(part("a", 0.01))
            group.create_task(part("b", 0.02))
            group.create_task(part("c", 60))
    except* ValueError as errors:
        print(errors.exceptions)


asyncio.run(main())
