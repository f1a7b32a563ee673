"""The twin of the scene a_signal_while_the_loop_sleeps, on CPython's asyncio."""
import asyncio
import signal

loop = asyncio.new_event_loop()
caught = 0


def on_signal():
    global caught
    caught += 1
    loop.stop()


loop.add_signal_handler(signal.SIGALRM, on_signal)
loop.call_later(3600, loop.stop)
print("the loop sleeps; SIGUSR1 arrives")
# CPython's loop handles signals in the main thread alone, so here an alarm is the signal.
signal.setitimer(signal.ITIMER_REAL, 0.05)
loop.run_forever()
print("run_forever returns; the handler has run", caught, "time")
loop.close()
