"""A timer sets a timer that is due at once: does asyncio still look at a pipe in between?"""
import asyncio
import os

loop = asyncio.new_event_loop()
reader, writer = os.pipe()
order = []


def again():
    order.append("timer")
    loop.call_at(loop.time() - 1, again)


def readable():
    order.append("pipe")
    if order.count("pipe") == 3:
        loop.stop()


loop.add_reader(reader, readable)
os.write(writer, b"x")
loop.call_at(loop.time() - 1, again)
loop.run_forever()
loop.remove_reader(reader)
loop.close()
print(*order)

loop = asyncio.new_event_loop()
moment = loop.time() - 1
order = []


def first():
    order.append("first")
    second.cancel()


loop.call_at(moment, first)
second = loop.call_at(moment + 0.5, order.append, "second")
loop.call_later(0, loop.stop)
loop.run_forever()
loop.close()
print("both are due, the first cancels the second:", *order)
