"""The twin of the scene an_answer_and_its_timeout, on CPython's asyncio with a virtual clock."""
import os

from support.virtual_clock import VirtualLoop


def too_late():
    print("the timeout: no answer after 1 s")
    loop.stop()


def read():
    timeout.cancel()
    removed = loop.remove_reader(answers)
    print(f"the reader takes the answer: {str(removed).lower()}")


def work():
    answered = os.write(peer, b"answer")
    loop.now += 2
    print(f"a callback works for 2 s; an answer arrives meanwhile: {str(answered > 0).lower()}")


def last():
    print("after 3 s: stop()")
    loop.stop()


loop = VirtualLoop()
answers, peer = os.pipe()
print("an answer should arrive within 1 s")
timeout = loop.call_later(1, too_late)
loop.add_reader(answers, read)
loop.call_soon(work)
loop.call_later(3, last)
loop.run_forever()
loop.close()
