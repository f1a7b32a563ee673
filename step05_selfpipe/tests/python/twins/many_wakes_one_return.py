"""The twin of the scene many_wakes_one_return, on the self-pipe of an asyncio loop."""
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
print("1000 wakes from 10 threads")
print(f"the loop woke up {returns} time, and drained the pipe")
loop._write_to_self()
print(f"the next wake counts again: {str(bool(select(0))).lower()}")
loop.close()
