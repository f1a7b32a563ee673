"""The twin of the scene an_event_is_cleared_at_once, on CPython's asyncio."""
import asyncio


async def wait_for_event(name, event):
    await event.wait()
    print(f"{name} goes on")


async def main():
    event = asyncio.Event()
    early = [asyncio.create_task(wait_for_event(name, event)) for name in "AB"]
    await asyncio.sleep(0)
    event.set()
    event.clear()
    late = asyncio.create_task(wait_for_event("C", event))
    for _ in range(10):
        await asyncio.sleep(0)
    print(f"C is done: {str(late.done()).lower()}")
    await asyncio.wait(early)


asyncio.run(main())
