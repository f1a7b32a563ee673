"""The twin of the scene a_task_awaits_a_task, on CPython's asyncio."""
import asyncio


async def look_up(name):
    print(f"{name}: looking")
    await asyncio.sleep(0)
    print(f"{name}: done")
    if name == "Ada":
        return 36
    raise LookupError("not found")


async def find_both():
    ada = asyncio.create_task(look_up("Ada"))
    eve = asyncio.create_task(look_up("Eve"))
    print("parent: two tasks created")
    print(f"parent: Ada is {await ada}")
    try:
        await eve
    except LookupError as error:
        print(f"parent: Eve is {error}")
        raise


async def main():
    parent = asyncio.create_task(find_both())
    await asyncio.wait([parent])
    print(f"the parent's result: {parent.exception()}")


asyncio.run(main())
