"""Wakes an asyncio loop from ten threads, and counts how often its select returns."""
import asyncio
import threading

loop = asyncio.new_event_loop()
select = loop._selector.select


def wakes():
    for _ in range(100):
        loop._write_to_self()


threads = [threading.Thread(target=wakes) for _ in range(10)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
returns = 0
while select(0) and returns < 10:
    returns += 1
    loop._read_from_self()
print("10 threads wake the loop 100 times each")
print(f"  returns of select, each followed by a drain: {returns}")
loop._write_to_self()
print("one more wake:", "readable" if select(0) else "not readable")
loop.close()
