"""The twin of the scene what_an_exception_handler_is_told, on CPython's asyncio."""
import asyncio
import os

loop = asyncio.new_event_loop()
turns = 0


def report(loop, context):
    # CPython's message also says which callback it is.
    message = context["message"]
    message = "Exception in callback" if message.startswith("Exception in callback") else message
    has_handle = str("handle" in context).lower()
    print(f"  reported: {message}: {context['exception']}; with its handle = {has_handle}")


def fail(message):
    raise RuntimeError(message)


def on_readable():
    global turns
    turns += 1
    print("the reader's turn", turns)
    if turns == 3:
        loop.stop()
    fail("the reader")


async def failing():
    fail("the task")


loop.set_exception_handler(report)
reader, writer = os.pipe()
os.write(writer, b"!")
loop.add_reader(reader, on_readable)
loop.call_soon(fail, "the callback")
loop.call_later(0, fail, "the timer")
loop.create_task(failing())
loop.run_forever()
loop.remove_reader(reader)
loop.close()
