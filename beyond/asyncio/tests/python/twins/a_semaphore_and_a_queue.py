"""The twin of the scene a_semaphore_and_a_queue, on CPython's asyncio."""
import asyncio

JOBS = 10_000
AT_A_TIME = 50
ROOM = 1000


class Meter:
    def __init__(self):
        self.now = self.most = self.ended = 0

    def begin(self):
        self.now += 1
        self.most = max(self.most, self.now)

    def end(self):
        self.now -= 1
        self.ended += 1


async def work(jobs):
    jobs.begin()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    jobs.end()


async def with_a_semaphore():
    tasks, jobs = Meter(), Meter()
    semaphore = asyncio.Semaphore(AT_A_TIME)

    async def one():
        async with semaphore:
            await work(jobs)
        tasks.end()

    def start():
        tasks.begin()
        return asyncio.create_task(one())

    for task in [start() for _ in range(JOBS)]:
        await task
    return tasks, jobs


async def with_a_queue():
    tasks, jobs = Meter(), Meter()
    queue = asyncio.Queue(ROOM)

    async def worker():
        while True:
            await queue.get()
            await work(jobs)
            queue.task_done()

    def start():
        tasks.begin()
        return asyncio.create_task(worker())

    workers = [start() for _ in range(AT_A_TIME)]
    most = 0
    for job in range(JOBS):
        await queue.put(job)
        most = max(most, queue.qsize())
    await queue.join()
    for one in workers:
        one.cancel()
    return tasks, jobs, most


async def main():
    tasks, jobs = await with_a_semaphore()
    print(f"a semaphore: {jobs.ended} jobs done, {jobs.most} at a time")
    print(f"  {tasks.most} tasks at a time")
    tasks, jobs, waiting = await with_a_queue()
    print(f"a queue: {jobs.ended} jobs done, {jobs.most} at a time")
    print(f"  {tasks.most} tasks at a time, {waiting} jobs in the queue")


asyncio.run(main())
