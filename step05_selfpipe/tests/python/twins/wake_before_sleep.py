"""Wakes an asyncio loop just before its select."""
import asyncio

loop = asyncio.new_event_loop()
select = loop._selector.select
print("at first, the pipe is: ", "readable" if select(0) else "not readable")
loop._write_to_self()
print("a wake, then select without a timeout")
print(f"  select returns:       {len(select(None))} event")
loop.close()
