"""The twin of the scene a_pipe_and_two_callbacks, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()
reader, writer = os.pipe()
os.write(writer, b"!")


def scheduled():
    print("the scheduled callback: stop()")
    loop.stop()


def callback():
    print("the callback")
    loop.call_soon(scheduled)


loop.add_reader(reader, print, "the pipe's reader")
loop.call_soon(callback)
loop.run_forever()
loop.close()
