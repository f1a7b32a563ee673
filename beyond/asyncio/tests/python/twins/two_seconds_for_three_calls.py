"""The twin of the scene two_seconds_for_three_calls, on CPython's asyncio with a clock that costs no time."""
import asyncio

from support.virtual_clock import VirtualLoop, time

LIMIT = 2


async def three_calls(limit):
    try:
        for _ in range(3):
            async with limit():
                await asyncio.sleep(1.5)
    except TimeoutError:
        return "timed out"
    return "answered"


def report(began, outcome):
    print(f"  after {time() - began:g}s: {outcome}")


async def main():
    print("each call has a limit of 2s")
    began = time()
    report(began, await three_calls(lambda: asyncio.timeout(LIMIT)))

    began = time()
    deadline = began + LIMIT
    print("all calls share a deadline")
    report(began, await three_calls(lambda: asyncio.timeout_at(deadline)))


loop = VirtualLoop()
loop.run_until_complete(main())
loop.close()
