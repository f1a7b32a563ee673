"""Two requests to end arrive before the task's next step: which one's message comes out?"""
import asyncio
import socket
import threading


async def two_requests(name, waits, second="second", uncancel=False):
    task = asyncio.create_task(waits)
    await asyncio.sleep(0)
    task.cancel("first")
    if uncancel:
        task.uncancel()
    else:
        task.cancel(second)
    try:
        await task
        print(f"{name}: returned")
    except asyncio.CancelledError as cancelled:
        print(f"{name}: {cancelled.args[0]}")


async def with_timeout(waits):
    async with asyncio.timeout(3600):
        await waits


async def main():
    loop = asyncio.get_running_loop()
    lock, event, queue = asyncio.Lock(), asyncio.Event(), asyncio.Queue()
    await lock.acquire()
    one, other = socket.socketpair()
    one.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=other)
    gate = threading.Event()
    await two_requests("sleep", asyncio.sleep(3600))
    await two_requests("sleep, without a second message", asyncio.sleep(3600), None)
    await two_requests("sleep, and the request is taken back", asyncio.sleep(3600), uncancel=True)
    await two_requests("sleep(0)", asyncio.sleep(0))
    await two_requests("timeout", with_timeout(asyncio.sleep(3600)))
    await two_requests("Lock.acquire", lock.acquire())
    await two_requests("Event.wait", event.wait())
    await two_requests("Queue.get", queue.get())
    await two_requests("sock_recv", loop.sock_recv(one, 1))
    await two_requests("StreamReader.read", reader.read(1))
    await two_requests("to_thread", asyncio.to_thread(gate.wait))
    gate.set()
    writer.close()
    one.close()


asyncio.run(main())
