"""The twin of the scene an_event_in_a_stopped_run, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()
reader, writer = os.pipe()
os.write(writer, b"!")
calls = 0


def read_and_remove():
    is_read = str(os.read(reader, 8) == b"!").lower()
    is_removed = str(loop.remove_reader(reader)).lower()
    print(f"  the callback reads: {is_read}; remove_reader: {is_removed}")


def on_readable():
    global calls
    calls += 1
    print("  the reader's call", calls)
    loop.call_soon(read_and_remove)


loop.add_reader(reader, on_readable)
for run in (1, 2, 3):
    print("run", run)
    loop.call_soon(loop.stop)
    loop.run_forever()
print("the reader has run", calls, "time")
loop.close()
