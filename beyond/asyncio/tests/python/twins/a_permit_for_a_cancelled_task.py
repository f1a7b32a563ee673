"""The twin of the scene a_permit_for_a_cancelled_task, on CPython's asyncio."""
import asyncio


async def take_a_turn(name, semaphore):
    print(f"{name} asks for a permit")
    try:
        async with semaphore:
            print(f"{name} has the permit")
    except asyncio.CancelledError:
        print(f"{name}: cancelled")
        raise


async def main():
    semaphore = asyncio.Semaphore(1)
    await semaphore.acquire()
    b = asyncio.create_task(take_a_turn("B", semaphore))
    c = asyncio.create_task(take_a_turn("C", semaphore))
    await asyncio.sleep(0)
    print("A releases the permit and cancels B")
    semaphore.release()
    b.cancel()
    await asyncio.wait([b])
    await c
    print(f"a permit is free: {str(not semaphore.locked()).lower()}")


asyncio.run(main())
