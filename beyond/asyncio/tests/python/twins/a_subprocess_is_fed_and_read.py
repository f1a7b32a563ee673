"""The twin of the scene a_subprocess_is_fed_and_read, on CPython's asyncio."""
import asyncio
from asyncio.subprocess import PIPE

MEBIBYTE = 1 << 20


async def main():
    process = await asyncio.create_subprocess_exec("cat", stdin=PIPE, stdout=PIPE)
    print("returncode at first:", process.returncode)
    output, errors = await process.communicate(b"x" * MEBIBYTE)
    print(f"output: {len(output)} bytes")
    print("error output:", "no pipe" if errors is None else "a pipe")
    print("returncode in the end:", process.returncode)


asyncio.run(main())
