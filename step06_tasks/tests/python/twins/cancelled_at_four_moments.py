"""The twin of the scene cancelled_at_four_moments, on CPython's asyncio."""
import asyncio


async def wait_for(name, answer):
    print(f"{name}: begins")
    try:
        number = await answer
    except asyncio.CancelledError:
        print(f"{name}: got cancelled")
        raise
    print(f"{name}: got a result")
    return number


def cancel(task):
    return str(task.cancel()).lower()


def ending(task):
    return "cancelled" if task.cancelled() else f"returned {task.result()}"


async def main():
    loop = asyncio.get_running_loop()
    names = ["early", "waiting", "late", "done"]
    answers = {name: loop.create_future() for name in names}
    tasks = {name: asyncio.create_task(wait_for(name, answers[name])) for name in names}
    print(f"early.cancel() = {cancel(tasks['early'])}")
    await asyncio.sleep(0)

    print(f"waiting.cancel() = {cancel(tasks['waiting'])}")
    answers["late"].set_result(1)
    print(f"late: its result has arrived; late.cancel() = {cancel(tasks['late'])}")
    answers["done"].set_result(2)
    await asyncio.wait(tasks.values())

    print(f"done.cancel() = {cancel(tasks['done'])}")
    for name, task in tasks.items():
        print(f"{name}: {ending(task)}")


asyncio.run(main())
