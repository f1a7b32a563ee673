"""The twin of the scene one_permit_two_tasks, on CPython's asyncio."""
import asyncio


async def take_a_turn(name, semaphore):
    print(f"{name} asks for a permit")
    async with semaphore:
        print(f"{name} has the permit")


async def main():
    semaphore = asyncio.Semaphore(1)
    await semaphore.acquire()
    print("A has the permit")
    b = asyncio.create_task(take_a_turn("B", semaphore))
    await asyncio.sleep(0)
    semaphore.release()
    print(f"A releases the permit; locked = {str(semaphore.locked()).lower()}; A asks again")
    async with semaphore:
        print("A has the permit")
        await b


asyncio.run(main())
