"""The twin of the scene fed_before_it_is_read, on CPython's asyncio."""
import asyncio
from asyncio.subprocess import PIPE

MEBIBYTE = 1 << 20


async def feed(stdin):
    stdin.write(b"x" * MEBIBYTE)
    await stdin.drain()
    stdin.close()


async def main():
    process = await asyncio.create_subprocess_exec("cat", stdin=PIPE, stdout=PIPE)
    feeding = asyncio.create_task(feed(process.stdin))
    await asyncio.sleep(0.1)
    print("100 ms later, all input is written:", str(feeding.done()).lower())
    print(f"the task reads cat's output: {len(await process.stdout.read())} bytes")
    print("all input is written:", str(feeding.done()).lower())
    await process.wait()


asyncio.run(main())
