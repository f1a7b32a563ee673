"""A loop that naps on article D's condition, and asyncio beside it.

Article D's `_run_once` naps for 10 ms only if nothing is ready and nothing is scheduled. This loop is
our own, and shorter, but it naps on that condition, and it keeps its timers as article D does: in a
heap of (deadline, callback, arguments). asyncio waits for the same timer.
"""
import asyncio
import heapq
import threading
import time

A_SECOND = 1.0


class NappingLoop:
    def __init__(self):
        self.ready, self.scheduled, self.is_stopping = [], [], False
        self.naps = 0

    def call_at(self, when, callback, *args):
        heapq.heappush(self.scheduled, (when, callback, args))

    def _run_once(self):
        if not self.ready and not self.scheduled:
            self.naps += 1
            time.sleep(0.01)
        while self.scheduled and self.scheduled[0][0] <= time.monotonic():
            self.ready.append(heapq.heappop(self.scheduled))
        for _, callback, args in self.ready:
            callback(*args)
        self.ready.clear()

    def run_forever(self):
        while not self.is_stopping:
            self._run_once()

    def stop(self):
        self.is_stopping = True


def run_and_count(name, loop):
    """Runs a loop until it's stopped, and counts its turns."""
    turns = 0
    run_once = loop._run_once

    def counted():
        nonlocal turns
        turns += 1
        run_once()

    loop._run_once = counted
    started = time.process_time()
    loop.run_forever()
    busy = time.process_time() - started
    print(f"{name}: turns {turns:,}, naps {getattr(loop, 'naps', 0)}, CPU time {busy:.3f} s")


def set_twice(first, second):
    """Sets two timers for the same moment."""
    loop = NappingLoop()
    loop.call_at(0.0, first)
    try:
        loop.call_at(0.0, second)
        return "both are set"
    except TypeError:
        return "TypeError"


napping = NappingLoop()
threading.Timer(A_SECOND, napping.stop).start()
run_and_count("napping, no timer for 1 s", napping)

napping = NappingLoop()
napping.call_at(time.monotonic() + A_SECOND, napping.stop)
run_and_count("napping, a timer of 1 s", napping)

with asyncio.Runner() as runner:
    waiting = runner.get_loop()
    waiting.call_later(A_SECOND, waiting.stop)
    run_and_count("asyncio, a timer of 1 s", waiting)

print("two timers of one moment, the same callback:", set_twice(print, print))
print("two timers of one moment, two callbacks:", set_twice(print, len))
