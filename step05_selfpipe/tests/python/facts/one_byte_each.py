"""Which bytes asyncio writes to its self-pipe: per call_soon_threadsafe, and per signal."""
import asyncio
import os
import signal

loop = asyncio.new_event_loop()
try:
    for _ in range(100):
        loop.call_soon_threadsafe(lambda: None)
    print("100 hand-overs:  ", len(loop._ssock.recv(4096)), "bytes")

    called = []
    loop.add_signal_handler(signal.SIGUSR1, called.append, "SIGUSR1")
    signal.raise_signal(signal.SIGUSR1)
    print("SIGUSR1 arrives:  its number:", loop._ssock.recv(4096) == bytes([signal.SIGUSR1]))

    async def a_hundred_signals():
        for _ in range(100):
            signal.raise_signal(signal.SIGUSR1)
        for _ in range(5):
            await asyncio.sleep(0)

    loop.run_until_complete(a_hundred_signals())
    print("100 of one kind: ", len(called), "callbacks")

    child = os.fork()
    if child == 0:
        loop.call_soon_threadsafe(lambda: None)
        os._exit(0)
    os.waitpid(child, 0)
    print("a child wakes:   ", len(loop._ssock.recv(4096)), "byte in the parent's pipe")
finally:
    loop.close()
