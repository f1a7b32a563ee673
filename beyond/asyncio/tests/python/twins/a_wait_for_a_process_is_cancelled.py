"""The twin of the scene a_wait_for_a_process_is_cancelled, on CPython's asyncio."""
import asyncio
from asyncio.subprocess import PIPE


async def main():
    process = await asyncio.create_subprocess_exec("cat", stdin=PIPE)
    waiting = asyncio.create_task(process.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    try:
        await waiting
        print("the wait is cancelled: false")
    except asyncio.CancelledError:
        print("the wait is cancelled: true")
    print("returncode:", process.returncode)
    process.terminate()
    print("the second wait returns:", await process.wait())


asyncio.run(main())
