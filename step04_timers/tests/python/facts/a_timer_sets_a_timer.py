"""A timer sets a timer that is due already, in CPython's asyncio: when is the pipe asked?"""
import asyncio
import os

loop = asyncio.new_event_loop()
reader, writer = os.pipe()
story = []


def again():
    story.append("timer")
    loop.call_at(loop.time() - 1, again)


def readable():
    story.append("pipe")
    if story.count("pipe") == 3:
        loop.stop()


loop.add_reader(reader, readable)
os.write(writer, b"x")
loop.call_at(loop.time() - 1, again)
loop.run_forever()
loop.remove_reader(reader)
loop.close()
print(*story)

loop = asyncio.new_event_loop()
moment = loop.time() - 1
story = []


def first():
    story.append("first")
    second.cancel()


loop.call_at(moment, first)
second = loop.call_at(moment + 0.5, story.append, "second")
loop.call_later(0, loop.stop)
loop.run_forever()
loop.close()
print("both are due, the first cancels the second:", *story)
