"""The twin of the scene undrained_loop_spins, on the self-pipe of an asyncio loop."""
import asyncio

loop = asyncio.new_event_loop()
select = loop._selector.select
loop._write_to_self()
for turn in (1, 2, 3):
    print(f"turn {turn}: {len(select(None))} ready, and nothing is done about it")
drained = []
loop._process_self_data = drained.append
loop._read_from_self()
print(f"drained something: {str(drained == [bytes(1)]).lower()}")
print(f"still readable:    {str(bool(select(0))).lower()}")
loop._read_from_self()
print(f"drained nothing:   {str(len(drained) == 1).lower()}")
loop.close()
