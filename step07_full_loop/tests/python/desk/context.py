import asyncio
import contextvars

request = contextvars.ContextVar("request", default="none")


def log(text):
    print(f"[{request.get()}] {text}")


async def serve(number):
    request.set(number)
    asyncio.get_running_loop().call_soon(log, "a callback")
    await asyncio.sleep(0)
    await asyncio.to_thread(log, "a thread")


async def main():
    for number in 1, 2:
        await asyncio.create_task(serve(number))
    log("main")


asyncio.run(main())
