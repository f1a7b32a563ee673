"""The twin of the scene add_reader_twice, on CPython's asyncio."""
import asyncio
import socket

loop = asyncio.new_event_loop()


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


def lower(value):
    return str(value).lower()


one, other = socket.socketpair()
other.send(b"!")
loop.add_reader(one, print, "  the first reader")
loop.add_writer(one, print, "  the writer")
loop.add_reader(one, print, "  the second reader")
tick()
print("remove_reader:", lower(loop.remove_reader(one)))
print("remove_reader again:", lower(loop.remove_reader(one)))
tick()
print("remove_writer:", lower(loop.remove_writer(one)))
tick()
loop.add_reader(one, print, "  the third reader")
tick()
loop.close()
print("after close(), remove_reader:", lower(loop.remove_reader(one)))
print("after close(), remove_writer:", lower(loop.remove_writer(one)))
