"""The twin of the scene a_block_that_swallows, on CPython's asyncio."""
import asyncio


async def cancel_and_catch(takes_back):
    task = asyncio.current_task()
    task.cancel()
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        if takes_back:
            task.uncancel()


async def main(takes_back):
    timed_out = False
    try:
        async with asyncio.timeout(3600) as limit:
            await cancel_and_catch(takes_back)
            # The time is up now, and not before: it could end a wait that's over already.
            limit.reschedule(asyncio.get_running_loop().time())
            await asyncio.sleep(3600)
    except TimeoutError:
        timed_out = True
    except asyncio.CancelledError:
        pass
    print(f"request taken back = {str(takes_back).lower()}: TimeoutError = {str(timed_out).lower()}")


for takes_back in True, False:
    asyncio.run(main(takes_back))
