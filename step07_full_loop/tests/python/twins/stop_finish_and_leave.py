"""The twin of the scene stop_finish_and_leave, on CPython's asyncio."""
import asyncio
import signal


async def client(name, needed):
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print(f"  {name} is asked to end")
        if not needed:
            raise
        try:
            await asyncio.sleep(needed)
            print(f"  {name} has finished")
        except asyncio.CancelledError:
            print(f"  {name} is asked again and leaves")
        raise


async def accept():
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("the server stops accepting")
        raise


async def serve_until_stopped(accepting, clients, grace):
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, accepting.cancel)
    await asyncio.wait([accepting])
    loop.remove_signal_handler(signal.SIGTERM)
    for task in clients:
        task.cancel()
    _, late = await asyncio.wait(clients, timeout=grace)
    for task in late:
        task.cancel()
    await asyncio.gather(*clients, return_exceptions=True)


def stop():
    print("SIGTERM arrives")
    signal.raise_signal(signal.SIGTERM)


async def main():
    needed = {"the idle one": 0, "the one with an answer": 0.02, "the slow one": 3600}
    clients = [asyncio.create_task(client(*it)) for it in needed.items()]
    accepting = asyncio.create_task(accept())
    asyncio.get_running_loop().call_soon(stop)
    await serve_until_stopped(accepting, clients, 0.2)


asyncio.run(main())
print("the server has returned Ok: true")
