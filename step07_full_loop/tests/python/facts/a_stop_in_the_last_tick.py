"""What CPython's loop does after a run whose task ended in the very tick that stopped the loop."""
import asyncio

loop = asyncio.new_event_loop()
ticks = 0


async def answer():
    return "done"


def count():
    global ticks
    ticks += 1
    if ticks == 10:
        loop.stop()
    else:
        loop.call_soon(count)


loop.call_soon(loop.stop)
print("run_until_complete:", loop.run_until_complete(answer()))
loop.call_soon(count)
loop.run_forever()
print(f"the next run_forever: {ticks} of 10 ticks")
loop.close()
