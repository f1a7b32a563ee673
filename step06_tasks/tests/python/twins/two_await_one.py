"""The twin of the scene two_await_one, on CPython's asyncio."""
import asyncio


async def wait_for(name, future):
    print(f"{name} waits")
    print(f"{name} gets {await future}")


async def main():
    future = asyncio.get_running_loop().create_future()
    tasks = [asyncio.create_task(wait_for(name, future)) for name in "AB"]
    await asyncio.sleep(0)
    future.add_done_callback(lambda future: print(f"the callback gets {future.result()}"))
    print("set_result(42)")
    future.set_result(42)
    print("set_result has returned")
    await asyncio.wait(tasks)


asyncio.run(main())
