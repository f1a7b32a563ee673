"""The twin of the scene three_take_turns, on CPython's asyncio."""
import asyncio


async def count(name):
    for number in 1, 2:
        print(f"{name}{number}")
        await asyncio.sleep(0)
    print(f"{name} ends")


async def main():
    await asyncio.gather(*map(count, "ABC"))


asyncio.run(main())
