"""Which timeout asyncio passes to select when its only timer is due in fifty days."""
import asyncio

loop = asyncio.new_event_loop()
loop.call_later(50 * 86400, print)
asked = []


def select(timeout):
    asked.append(timeout)
    loop.stop()
    return []


loop._selector.select, kept = select, loop._selector.select
loop.run_forever()
loop._selector.select = kept
loop.close()
print("asks for", asked[0], "s")
