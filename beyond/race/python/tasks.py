"""Does the loads of `cargo run --release -p race -- tasks` in CPython, on asyncio's loop or uvloop.

    echo "yield_alone 1000000" | python3 beyond/race/python/tasks.py asyncio

Says "ready", or "not at hand: …" if the loop isn't installed or CPython is older than 3.11. Then it
reads lines with a load and a number of operations, and prints the nanoseconds of processor time
that they took. The loads are those of beyond/race/benches/tasks/loads.rs.
"""
import asyncio
import sys
from time import thread_time_ns

BATCH = 1000
BURST = 64


async def result(number):
    return number


async def spawn_and_finish(count):
    began = thread_time_ns()
    for _ in range(count // BATCH):
        missing, finished = BATCH, asyncio.get_running_loop().create_future()

        async def task(number):
            nonlocal missing
            missing -= 1
            if missing == 0:
                finished.set_result(None)
            return number

        # The loop has only weak references to its tasks, so they need a place.
        tasks = [asyncio.create_task(task(number)) for number in range(BATCH)]
        await finished
        del tasks
    return thread_time_ns() - began


async def spawn_then_await(count):
    began, total = thread_time_ns(), 0
    for number in range(count):
        total += await asyncio.create_task(result(number))
    assert total == sum(range(count))
    return thread_time_ns() - began


async def spawn_and_join(count):
    began, total = thread_time_ns(), 0
    for _ in range(count // BATCH):
        tasks = [asyncio.create_task(result(number)) for number in range(BATCH)]
        for task in tasks:
            total += await task
    assert total == sum(range(BATCH)) * (count // BATCH)
    return thread_time_ns() - began


async def join_all(count):
    began = thread_time_ns()
    tasks = [asyncio.create_task(result(number)) for number in range(count)]
    total = sum(await asyncio.gather(*tasks))
    assert total == sum(range(count))
    return thread_time_ns() - began


async def yield_often(turns):
    for _ in range(turns):
        await asyncio.sleep(0)
    return turns


async def yield_alone(count):
    began = thread_time_ns()
    assert await asyncio.create_task(yield_often(count)) == count
    return thread_time_ns() - began


async def yield_in_turn(count):
    began = thread_time_ns()
    tasks = [asyncio.create_task(yield_often(count // BATCH)) for _ in range(BATCH)]
    assert sum([await task for task in tasks]) == count
    return thread_time_ns() - began


async def receive_all(queue, count):
    total = 0
    for _ in range(count):
        total += await queue.get()
    return total


async def channel_of_one(count):
    async def send():
        for message in range(count):
            await queue.put(message)
        return count

    queue = asyncio.Queue(1)
    began = thread_time_ns()
    receiver = asyncio.create_task(receive_all(queue, count))
    assert await asyncio.create_task(send()) == count
    assert await receiver == sum(range(count))
    return thread_time_ns() - began


async def channel(count):
    async def send():
        for message in range(count):
            queue.put_nowait(message)
            if message % BURST == BURST - 1:
                await asyncio.sleep(0)
        return count

    queue = asyncio.Queue()
    began = thread_time_ns()
    receiver = asyncio.create_task(receive_all(queue, count))
    assert await asyncio.create_task(send()) == count
    assert await receiver == sum(range(count))
    return thread_time_ns() - began


async def wait(future):
    return await future


async def cancel(count):
    loop, took = asyncio.get_running_loop(), 0
    for _ in range(count // BATCH):
        tasks = [asyncio.create_task(wait(loop.create_future())) for _ in range(BATCH)]
        await asyncio.sleep(0)
        began = thread_time_ns()
        for task in tasks:
            task.cancel()
            try:
                await task
                raise ValueError("a task ended, but not cancelled")
            except asyncio.CancelledError:
                pass
        took += thread_time_ns() - began
    return took


LOADS = {
    "spawn_and_finish": spawn_and_finish,
    "spawn_then_await": spawn_then_await,
    "spawn_and_join": spawn_and_join,
    "join_all": join_all,
    "yield_alone": yield_alone,
    # A coroutine has no waker: to yield is its only way to wake itself.
    "wake_alone": yield_alone,
    "yield_in_turn": yield_in_turn,
    "channel_of_one": channel_of_one,
    "channel": channel,
    "cancel": cancel,
}


def loop_factory(name):
    if name == "asyncio":
        return asyncio.new_event_loop
    try:
        import uvloop
    except ImportError as error:
        print(f"not at hand: {error}", flush=True)
        sys.exit()
    return uvloop.new_event_loop


def main():
    if sys.version_info < (3, 11):
        print("not at hand: asyncio.Runner is new in 3.11", flush=True)
        return
    new_event_loop = loop_factory(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        load, count = line.split()
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            print(runner.run(LOADS[load](int(count))), flush=True)


main()
