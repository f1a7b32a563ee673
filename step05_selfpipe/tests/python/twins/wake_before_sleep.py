"""The twin of the scene wake_before_sleep, on the self-pipe of an asyncio loop."""
import asyncio

loop = asyncio.new_event_loop()
select = loop._selector.select
print(f"readable at first:     {str(bool(select(0))).lower()}")
loop._write_to_self()
print("the wake comes first, then the loop goes to sleep")
print(f"ready when it wakes:   {len(select(None))}")
loop.close()
