"""The twin of the scene a_duration_starts_over, on CPython's asyncio with a clock that costs no time."""
import asyncio


loop = asyncio.new_event_loop()
now = 0
select = loop._selector.select


def sleep_on_the_clock(timeout):
    """Where the loop would sleep, its clock jumps."""
    global now
    now += timeout or 0
    return select(0)


loop.time = lambda: now
loop._selector.select = sleep_on_the_clock

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
    print(f"  after {now - began:g}s: {outcome}")


async def main():
    print("each call gets 2s")
    began = now
    report(began, await three_calls(lambda: asyncio.timeout(LIMIT)))

    began = now
    deadline = began + LIMIT
    print("they share a deadline")
    report(began, await three_calls(lambda: asyncio.timeout_at(deadline)))


loop.run_until_complete(main())
loop.close()
