"""The twin of the scene self_scheduling_callback, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()
reader, writer = os.pipe()


def on_readable():
    print("  the pipe's reader: stop()")
    loop.stop()


def turn(number):
    print(f"tick {number}: the endless callback")
    if number == 2:
        written = os.write(writer, b"!") == 1
        print(f"  the callback writes into the pipe: {str(written).lower()}; it makes a timer that's due")
        loop.call_later(0, print, "  the timer")
    loop.call_soon(turn, number + 1)


loop.add_reader(reader, on_readable)
loop.call_soon(turn, 1)
loop.run_forever()
print(f"remove_reader: {str(loop.remove_reader(reader)).lower()}")
print(f"remove_reader again: {str(loop.remove_reader(reader)).lower()}")
loop.close()
