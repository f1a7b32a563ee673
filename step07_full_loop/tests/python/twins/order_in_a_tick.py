"""The twin of the scene order_in_a_tick, on CPython's asyncio."""
import asyncio


async def main():
    loop = asyncio.get_running_loop()
    loop.call_later(0, print, "call_later(0)")
    loop.call_soon(print, "call_soon, first")
    loop.call_soon(print, "call_soon, second")
    await asyncio.sleep(0)
    print("main goes on after sleep(0)")
    await asyncio.sleep(0)
    print("main goes on after another sleep(0)")


asyncio.run(main())

print("timers made in the order 0.5, 0.2, 0.3:")
loop = asyncio.new_event_loop()
for tenths in (5, 2, 3):
    # A tenth of the time will do: there is no virtual clock here.
    loop.call_later(tenths / 100, print, f"0.{tenths}")
loop.call_soon(print, "soon")
loop.call_later(0.1, loop.stop)
loop.run_forever()
loop.close()
