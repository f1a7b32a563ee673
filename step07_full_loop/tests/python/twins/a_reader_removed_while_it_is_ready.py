"""The twin of the scene a_reader_removed_while_it_is_ready, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()


def readable():
    reader, writer = os.pipe()
    os.write(writer, b"!")
    return reader


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


def remove_second():
    print("  the first reader removes the second")
    loop.remove_reader(second)


def remove_first():
    print("  a callback removes the first reader")
    loop.remove_reader(first)


first, second = readable(), readable()
loop.add_reader(first, remove_second)
loop.add_reader(second, print, "  the second reader")
tick()
loop.call_soon(remove_first)
tick()
print("remove_reader of both:", str(loop.remove_reader(first)).lower())
print("                      ", str(loop.remove_reader(second)).lower())
loop.close()
