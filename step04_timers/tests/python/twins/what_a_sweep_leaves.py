"""Which cancelled timers asyncio's sweep removes, and in which order the rest is popped."""
import asyncio
import heapq

HOUR = 3600
loop = asyncio.new_event_loop()
start = loop.time()


def call_at_hour(hour):
    return loop.call_at(start + hour * HOUR, print, hour)


def cancel(handles):
    for handle in handles:
        handle.cancel()


def in_the_heap():
    """Runs one tick, which sweeps, and counts the entries that are left."""
    loop.call_soon(loop.stop)
    loop.run_forever()
    return len(loop._scheduled)


call_at_hour(1)
cancel([call_at_hour(1000) for _ in range(99)])
print(f"99 cancelled of 100:  {in_the_heap()} in the heap")
call_at_hour(2)
print(f"99 cancelled of 101:  {in_the_heap()} in the heap")
more = [call_at_hour(3 + n * 71 % 198) for n in range(198)]
cancel(more[:100])
print(f"100 cancelled of 200: {in_the_heap()} in the heap")
cancel(more[100:101])
print(f"101 cancelled of 200: {in_the_heap()} in the heap")

fired = []
while loop._scheduled:
    fired.append(round((heapq.heappop(loop._scheduled).when() - start) / HOUR))
order = "in order" if fired == sorted(fired) else "out of order"
print(f"the rest fires:       {len(fired)} timers, {order}")
loop.close()
