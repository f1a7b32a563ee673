"""What becomes of a signal that meets a full self-pipe, in CPython's asyncio?"""
import asyncio
import signal


async def some_ticks():
    for _ in range(5):
        await asyncio.sleep(0)


async def main():
    loop = asyncio.get_running_loop()
    heard = []
    loop.add_signal_handler(signal.SIGUSR1, heard.append, "SIGUSR1")
    try:
        while True:
            loop._csock.send(bytes(4096))
    except BlockingIOError:
        pass
    signal.raise_signal(signal.SIGUSR1)
    await some_ticks()
    print("after a full pipe:", heard)
    signal.raise_signal(signal.SIGUSR1)
    await some_ticks()
    print("after an empty one:", heard)


asyncio.run(main())
