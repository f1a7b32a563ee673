"""Does the loads of `cargo run --release -p race -- tasks` in CPython.

    echo "yield_in_turn 1000000" | python3 beyond/race/python/tasks.py

Says "ready", or "not at hand: …" if CPython is older than 3.11. Then it
reads lines with a load and a number of operations, and prints the nanoseconds of processor time
that they took. The loads are those of beyond/race/src/tasks/loads.rs.
"""
import asyncio
import sys
from time import thread_time_ns

BATCH = 1000


async def result(number):
    return number


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


async def yield_often(turns):
    for _ in range(turns):
        await asyncio.sleep(0)
    return turns


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


async def one_message(count):
    loop, began, waiting = asyncio.get_running_loop(), thread_time_ns(), []

    async def receive():
        total = 0
        for _ in range(count):
            future = loop.create_future()
            waiting.append(future)
            total += await future
        return total

    receiver = asyncio.create_task(receive())
    for number in range(count):
        while not waiting:
            await asyncio.sleep(0)
        waiting.pop().set_result(number)
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
    "spawn_then_await": spawn_then_await,
    "spawn_and_join": spawn_and_join,
    "yield_in_turn": yield_in_turn,
    "channel_of_one": channel_of_one,
    "one_message": one_message,
    "cancel": cancel,
}


def main():
    if sys.version_info < (3, 11):
        print("not at hand: asyncio.Runner is new in 3.11", flush=True)
        return
    print("ready", flush=True)
    for line in sys.stdin:
        load, count = line.split()
        with asyncio.Runner() as runner:
            print(runner.run(LOADS[load](int(count))), flush=True)


main()
