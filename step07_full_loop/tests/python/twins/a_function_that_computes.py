"""The twin of the scene a_function_that_computes, on CPython's asyncio."""
import asyncio

ENOUGH = 100
turns = 0


async def count_turns():
    global turns
    while True:
        turns += 1
        await asyncio.sleep(0)


def compute(rounds):
    state = 1
    while rounds != 0:
        rounds -= 1
        state = state * 31 % 1000003
        if state != 0 and turns >= ENOUGH:
            return "the other task has run"
    return "the function gives up"


async def main():
    counting = asyncio.create_task(count_turns())
    print(f"called in the loop: {compute(10_000)}")
    print(f"  turns meanwhile: {turns}")
    outcome = await asyncio.to_thread(compute, -1)
    print(f"called by to_thread: {outcome}")
    counting.cancel()


asyncio.run(main())
