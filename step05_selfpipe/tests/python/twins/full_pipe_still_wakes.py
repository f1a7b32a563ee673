"""The twin of the scene full_pipe_still_wakes, on the self-pipe of an asyncio loop."""
import asyncio

loop = asyncio.new_event_loop()
for _ in range(100_000):
    loop._write_to_self()
print("a hundred thousand wakes, and here we are")
print(f"ready when it wakes:   {len(loop._selector.select(None))}")
loop.close()
loop._write_to_self()
print("the loop is gone, one more wake: no harm")
