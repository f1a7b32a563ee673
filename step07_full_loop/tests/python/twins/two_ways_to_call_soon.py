"""The twin of the scene two_ways_to_call_soon, on CPython's asyncio."""
import asyncio
import threading

loop = asyncio.new_event_loop()


def schedule_six():
    loop.call_soon(print, "1: call_soon")
    loop.call_soon_threadsafe(print, "2: call_soon_threadsafe")
    loop.call_soon(print, "3: call_soon")
    by_another = "4: call_soon_threadsafe, by another thread"
    thread = threading.Thread(target=loop.call_soon_threadsafe, args=(print, by_another))
    thread.start()
    thread.join()
    loop.call_soon(print, "5: call_soon")
    loop.call_soon_threadsafe(print, "6: call_soon_threadsafe")


def from_a_callback():
    schedule_six()
    print("the same calls from a callback: scheduled")
    loop.call_soon(loop.stop)


schedule_six()
loop.call_soon(from_a_callback)
loop.run_forever()
loop.close()
