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
