"""How often CPython's asyncio calls the handler of a signal that arrives three times at once."""
import asyncio
import signal

loop = asyncio.new_event_loop()
calls = 0


def count():
    global calls
    calls += 1


def three_times():
    for _ in range(3):
        signal.raise_signal(signal.SIGUSR1)
    loop.call_later(0.05, loop.stop)


loop.add_signal_handler(signal.SIGUSR1, count)
loop.call_soon(three_times)
loop.run_forever()
loop.close()
print("calls:", calls)
