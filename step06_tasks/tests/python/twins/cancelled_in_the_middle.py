"""The twin of the scene cancelled_in_the_middle, on CPython's asyncio."""
import asyncio

accounts = {"Ada": 100, "Grace": 100}


async def transfer(agreed):
    accounts["Ada"] -= 100
    try:
        await agreed
    except asyncio.CancelledError:
        print("  transfer: cancelled")
        accounts["Ada"] += 100
        await asyncio.sleep(0)
        print("  transfer: the bank knows")
        raise
    accounts["Grace"] += 100


def show():
    print(f"Ada has {accounts['Ada']}, Grace has {accounts['Grace']}")


async def main():
    task = asyncio.create_task(transfer(asyncio.get_running_loop().create_future()))
    await asyncio.sleep(0)
    show()
    print(f"cancel() = {str(task.cancel()).lower()}, cancelled() = {str(task.cancelled()).lower()}")
    show()
    await asyncio.wait([task])
    print(f"a few rounds later, cancelled() = {str(task.cancelled()).lower()}")
    show()


asyncio.run(main())
