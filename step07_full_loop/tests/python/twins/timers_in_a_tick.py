"""The twin of the scene timers_in_a_tick, on CPython's asyncio with a clock that costs no time."""
import asyncio

loop = asyncio.new_event_loop()
now = 100
select = loop._selector.select


def sleep_on_the_clock(timeout):
    global now
    if timeout > 0:
        print(f"  it sleeps for {timeout}s")
        now += timeout
    return select(0)


def last():
    print("  the timer in 10 s: stop()")
    loop.stop()


def overdue():
    print("  the timer that was due schedules a callback")
    loop.call_soon(print, "  its callback")


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


loop.time = lambda: now
loop._selector.select = sleep_on_the_clock
nearest = loop.call_later(5, print, "never")
loop.call_later(10, last)
nearest.cancel()
print("run_forever")
loop.run_forever()
loop.call_at(loop.time() - 1, overdue)
tick()
tick()
loop.close()
