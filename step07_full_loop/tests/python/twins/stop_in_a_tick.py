"""The twin of the scene stop_in_a_tick, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()


def first():
    print("first: stop()")
    loop.stop()
    loop.call_soon(print, "third, scheduled by first")


loop.call_soon(first)
loop.call_soon(print, "second, ready before the stop")
print("run_forever")
loop.run_forever()
reader, writer = os.pipe()
os.write(writer, b"!")
loop.add_reader(reader, print, "the reader of a pipe with a byte")
print("stop() before run_forever")
loop.stop()
loop.run_forever()
print("both runs have ended")
loop.remove_reader(reader)
loop.close()
