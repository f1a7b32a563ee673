"""Wakes an asyncio loop through its self-pipe, more often than the pipe has room for."""
import asyncio

loop = asyncio.new_event_loop()
for _ in range(100_000):
    loop._write_to_self()
print("100,000 wakes, nothing is read: all return")
print(f"  select returns:               {len(loop._selector.select(None))} event")
loop.close()
loop._write_to_self()
print("the loop is dropped; another wake returns")
