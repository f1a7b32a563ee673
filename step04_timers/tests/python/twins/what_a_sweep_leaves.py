"""The twin of the scene what_a_sweep_leaves, on CPython's asyncio."""
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
    """One tick, which sweeps, and what is scheduled then."""
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
print(f"they fire in order:   {str(fired == sorted(fired)).lower()}")
print(f"the first of them:    {fired[:6]}")
loop.close()
