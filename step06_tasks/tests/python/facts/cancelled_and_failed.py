"""Where asyncio's futures and tasks differ from ours: what the docs of `Future` and `Task` say."""
import asyncio
import gc


def shown(ask):
    try:
        return repr(ask())
    except asyncio.CancelledError as error:
        return f"cancelled({error})"


async def wait_for(future):
    return await future


async def who_is_told_the_message(loop):
    future = loop.create_future()
    task = loop.create_task(wait_for(future))
    await asyncio.sleep(0)
    task.cancel("shutdown")
    await asyncio.wait([task])
    print("a cancelled task:", shown(task.result), "then", shown(task.result))
    future = loop.create_future()
    future.cancel("shutdown")
    print("a cancelled future:", shown(future.result), "then", shown(future.result))


async def await_oneself():
    rounds = []
    asyncio.get_running_loop().call_soon(rounds.append, 1)
    try:
        await asyncio.current_task()
    except RuntimeError:
        print("a task that awaits itself is told after", len(rounds), "round")


async def cancel_after_the_error(loop, reports):
    future = loop.create_future()
    task = loop.create_task(wait_for(future))
    await asyncio.sleep(0)
    future.set_exception(OSError("unseen by the task"))
    task.cancel()
    await asyncio.wait([task])
    del future
    loop.create_future().set_exception(OSError("asked by nothing"))
    gc.collect()
    print("reported:", reports)


def set_cancelled_error(loop):
    future = loop.create_future()
    future.set_exception(asyncio.CancelledError())
    print("a future with a CancelledError is cancelled:", future.cancelled())
    shown(future.result)


async def main():
    loop, reports = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda loop, context: reports.append(str(context["exception"])))
    await who_is_told_the_message(loop)
    await loop.create_task(await_oneself())
    await cancel_after_the_error(loop, reports)
    set_cancelled_error(loop)


asyncio.run(main())
