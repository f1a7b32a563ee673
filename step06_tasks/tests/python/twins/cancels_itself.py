"""The twin of the scene cancels_itself, on CPython's asyncio."""
import asyncio


async def cancel_myself(then):
    print(f"{then}: cancel() = {str(asyncio.current_task().cancel()).lower()}")
    print(f"{then}: still running")
    if then == "returns":
        return 7
    if then == "fails":
        raise LookupError("no such user")
    await asyncio.sleep(0)
    print(f"{then}: has awaited")


def ending(task):
    if task.cancelled():
        return "cancelled"
    if task.exception():
        return f"failed: {task.exception()}"
    return f"returned {task.result()}"


async def main():
    for then in ["returns", "fails", "awaits"]:
        task = asyncio.create_task(cancel_myself(then))
        await asyncio.wait([task])
        print(f"{then}: {ending(task)}")


asyncio.run(main())
