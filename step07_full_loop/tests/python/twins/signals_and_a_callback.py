"""The twin of the scene signals_and_a_callback, on CPython's asyncio."""
import asyncio
import signal

loop = asyncio.new_event_loop()


def count_ticks(tick):
    print("tick", tick)
    if tick == 1:
        signal.raise_signal(signal.SIGUSR2)
        signal.raise_signal(signal.SIGUSR1)
        loop.call_soon_threadsafe(print, "  call_soon_threadsafe")
        loop.call_soon(print, "  call_soon")
        loop.call_later(0, print, "  a timer that's due")
    if tick == 4:
        loop.stop()
    else:
        loop.call_soon(count_ticks, tick + 1)


loop.add_signal_handler(signal.SIGUSR1, print, "  SIGUSR1's handler")
loop.add_signal_handler(signal.SIGUSR2, print, "  SIGUSR2's handler")
loop.call_soon(count_ticks, 1)
loop.run_forever()
loop.close()
