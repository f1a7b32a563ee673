"""Whether asyncio runs a signal's callback if the self-pipe is full when the signal arrives."""
import asyncio
import signal


async def some_ticks():
    for _ in range(5):
        await asyncio.sleep(0)


async def main():
    loop = asyncio.get_running_loop()
    called = []
    loop.add_signal_handler(signal.SIGUSR1, called.append, "SIGUSR1")
    try:
        while True:
            loop._csock.send(bytes(4096))
    except BlockingIOError:
        pass
    signal.raise_signal(signal.SIGUSR1)
    await some_ticks()
    print("after a full pipe:", called)
    signal.raise_signal(signal.SIGUSR1)
    await some_ticks()
    print("after an empty one:", called)


asyncio.run(main())
