"""Wakes an asyncio loop once, and calls its select without reading the byte."""
import asyncio

loop = asyncio.new_event_loop()
select = loop._selector.select
drained = []
loop._process_self_data = drained.append


def drain():
    drained.clear()
    loop._read_from_self()
    return sum(map(len, drained))


loop._write_to_self()
for turn in (1, 2, 3):
    print(f"turn {turn}, nothing is read: select returns {len(select(None))} event")
print(f"drain:       {drain()} byte")
print("after that: ", "readable" if select(0) else "not readable")
print(f"drain again: {drain()} bytes")
loop.close()
