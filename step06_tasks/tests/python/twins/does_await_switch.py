"""The twin of the scene does_await_switch, on CPython's asyncio."""
import asyncio


async def main():
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    done.set_result("a result that is there")
    pending = loop.create_future()

    async def a():
        print("A begins")
        print(f"A gets {await done}")
        await asyncio.sleep(0)
        print("A goes on after yield_now")
        print(f"A gets {await pending}")

    async def b():
        print("B begins")
        pending.set_result("a result that B brought")
        print("B ends")

    await asyncio.gather(a(), b())


asyncio.run(main())
