"""The twin of the scene time_inside_a_callback, on CPython's asyncio."""
import asyncio
import time

loop = asyncio.new_event_loop()


def work():
    before = loop.time()
    end = time.perf_counter() + 0.001
    while time.perf_counter() < end:
        pass
    print(f"the loop's time has moved on: {str(loop.time() > before).lower()}")
    loop.stop()


loop.call_soon(work)
loop.run_forever()
loop.close()
