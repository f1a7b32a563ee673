"""The twin of the scene scheduled_in_a_round, on CPython's asyncio."""
import asyncio

loop = asyncio.new_event_loop()


def first():
    print("  first; it schedules the third")
    loop.call_soon(lambda: print("  third"))


loop.call_soon(first)
loop.call_soon(lambda: print("  second"))
loop.call_soon(lambda: print("  cancelled")).cancel()
for number in 1, 2, 3:
    print(f"round {number}")
    # asyncio has no call for a round and its length, so this looks inside.
    taken = len(loop._ready)
    if taken:
        loop._run_once()
    print(f"  entries taken from the queue: {taken}")
loop.close()
