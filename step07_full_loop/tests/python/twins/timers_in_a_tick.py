"""The twin of the scene timers_in_a_tick, on CPython's asyncio with a clock that costs no time."""
from support.virtual_clock import VirtualLoop


class Loop(VirtualLoop):
    def jump(self, timeout=None):
        if timeout > 0:
            print(f"  the loop sleeps for {timeout}s")
        return super().jump(timeout)


def last():
    print("  the timer in 10 s: stop()")
    loop.stop()


def overdue():
    print("  the timer that was due schedules a callback")
    loop.call_soon(print, "  the scheduled callback")


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


loop = Loop(now=100)
nearest = loop.call_later(5, print, "never")
loop.call_later(10, last)
nearest.cancel()
print("run_forever")
loop.run_forever()
loop.call_at(loop.time() - 1, overdue)
tick()
tick()
loop.close()
