"""The loop that article D prints, played as it's printed, and asyncio beside it.

Article D's code is in python/article_d.py, word for word: "Как работает цикл событий", the section
"Создание собственного Event Loop". Loading it also runs the article's own demonstration.
"""
import asyncio
import contextlib
import io
import pathlib
import runpy
import sys
import time

CODE = pathlib.Path(__file__).with_name("python") / "article_d.py"
HALF_A_SECOND = 0.5
naps = 0
sleep = time.sleep


def counted_nap(seconds):
    """Counts the naps of a loop, but for the one that it can take after it was stopped."""
    global naps
    naps += not sys._getframe(1).f_locals["self"]._stopping
    sleep(seconds)


def play(loop, most_turns=None):
    """Runs a loop until it's stopped, or has made so many turns, and says what that took."""
    global naps
    turns = naps = 0
    once = loop._run_once

    def counted_turn():
        nonlocal turns
        turns += 1
        once()
        if turns == most_turns:
            loop.stop()

    loop._run_once = counted_turn
    started = time.process_time()
    loop.run_forever()
    processor_time = time.process_time() - started
    print("  turns:         ", in_words(turns))
    print("  naps:          ", "one a turn" if naps == turns else naps)
    print("  processor time:", "more than 20 ms" if processor_time > 0.02 else "at most 20 ms")


def in_words(turns):
    if turns > 10_000:
        return "more than 10,000"
    return "fewer than 100" if turns < 100 else str(turns)


def set_twice(first, second):
    """Sets two timers for the same moment."""
    loop = SimpleEventLoop()
    loop.time = lambda: 0.0
    loop.call_later(1, first)
    try:
        loop.call_later(1, second)
        return "both are set"
    except TypeError:
        return "TypeError"


time.sleep = counted_nap
with contextlib.redirect_stdout(io.StringIO()):
    SimpleEventLoop = runpy.run_path(str(CODE))["SimpleEventLoop"]
print("article D's demonstration, 1.5 s long")
print("  naps:          ", naps)

print("article D's loop, with nothing to do, for 20 turns")
play(SimpleEventLoop(), most_turns=20)

for name, loop in [("article D's loop", SimpleEventLoop()), ("asyncio", asyncio.new_event_loop())]:
    print(name + ", while a timer of 0.5 s is pending")
    loop.call_later(HALF_A_SECOND, loop.stop)
    play(loop)
loop.close()

print("article D's loop, two timers of one moment")
print("  one callback:  ", set_twice(print, print))
print("  two callbacks: ", set_twice(print, len))
print("article D's loop can watch a descriptor:", hasattr(SimpleEventLoop, "add_reader"))
