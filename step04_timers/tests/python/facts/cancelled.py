"""What asyncio keeps of a cancelled timer, and when it drops the entry."""
import asyncio

loop = asyncio.new_event_loop()


def tick():
    loop.call_soon(loop.stop)
    loop.run_forever()


near = loop.call_later(1000, print, "near")
far = loop.call_later(2000, print, "far")
far.cancel()
print("cancelled, in the heap:", len(loop._scheduled), "counted:", loop._timer_cancelled_count)
print("its callback:", far._callback)
far.cancel()
print("once more, counted:", loop._timer_cancelled_count)
tick()
print("a tick later:", len(loop._scheduled))
near.cancel()
tick()
print("the head is cancelled, a tick later:", len(loop._scheduled))
for _ in range(100_000):
    loop.call_later(1000, print).cancel()
print("100,000 in one tick:", len(loop._scheduled))
tick()
print("a tick later:", len(loop._scheduled))
loop.close()
