"""Plays random programs with locks and queues on CPython's asyncio; player.rs does the same on our
loop, line by line."""
import asyncio
import sys

from programs import play_all

WHY = {"QueueEmpty": "the queue is empty", "QueueFull": "the queue is full",
       "QueueShutDown": "the queue was shut down"}


class Loop(asyncio.SelectorEventLoop):
    """No program waits for input or for time, so nothing has to be asked."""

    def __init__(self):
        super().__init__()
        self._selector.select = lambda timeout: []


def why(error):
    return WHY.get(type(error).__name__) or str(error)


def show(flag):
    return str(flag).lower()


class Stage:
    def __init__(self, cancels, scripts, loop):
        self.cancels, self.scripts, self.loop = cancels, scripts, loop
        self.tasks = []
        self.lines = []
        self.level = 0
        self.locks = [asyncio.Lock(), asyncio.Lock()]
        self.events = [asyncio.Event(), asyncio.Event()]
        self.conditions = [asyncio.Condition(self.locks[0]), asyncio.Condition()]
        self.semaphores = [asyncio.Semaphore(1), asyncio.Semaphore(2),
                           asyncio.BoundedSemaphore(1), asyncio.BoundedSemaphore(2)]
        self.queues = [asyncio.Queue(1), asyncio.Queue(), asyncio.LifoQueue(2),
                       asyncio.PriorityQueue(2)]
        self.barriers = [asyncio.Barrier(2), asyncio.Barrier(3)]
        loop.set_exception_handler(lambda loop, context: None)

    def say(self, line):
        self.lines.append(line)

    async def perform(self, number):
        policy, *actions = self.scripts[number]
        for at, (name, *action) in enumerate(actions):
            whose = f"{number}.{at} {name}"
            try:
                await self.act(whose, name, *action)
                self.say(f"{whose} done")
            except asyncio.CancelledError:
                self.say(f"{whose} is cancelled")
                if policy == "Pass":
                    raise
                if policy == "CleanUp":
                    await asyncio.sleep(0)
                    self.say(f"{whose} cleaned up")
                    raise
            except Exception as error:
                self.say(f"{whose} failed: {why(error)}")

    async def act(self, whose, name, which, count, soon):
        if soon:
            self.loop.call_soon(self.do_soon, whose, name, which, count)
        elif hasattr(self, "do_" + name):
            getattr(self, "do_" + name)(whose, which, count)
        else:
            await getattr(self, name)(whose, which, count)

    def do_soon(self, whose, name, which, count):
        try:
            getattr(self, "do_" + name)(whose, which, count)
            self.say(f"{whose} done, soon")
        except Exception as error:
            self.say(f"{whose} failed, soon: {why(error)}")

    def do_Cancel(self, whose, which, count):
        self.say(f"{whose} {which}: {show(self.tasks[which].cancel())}")

    def do_Release(self, whose, which, count):
        self.locks[which].release()

    def do_EventSet(self, whose, which, count):
        self.events[which].set()

    def do_EventClear(self, whose, which, count):
        self.events[which].clear()

    def do_SemaphoreRelease(self, whose, which, count):
        self.semaphores[which].release()

    def do_PutNowait(self, whose, which, count):
        self.queues[which].put_nowait(count)

    def do_GetNowait(self, whose, which, count):
        self.say(f"{whose} {self.queues[which].get_nowait()}")

    def do_TaskDone(self, whose, which, count):
        self.queues[which].task_done()

    def do_Shutdown(self, whose, which, count):
        self.queues[which].shutdown(count == 0)

    def do_Look(self, whose, which, count):
        locked = [show(one.locked()) for one in self.locks + self.conditions + self.semaphores]
        is_set = [show(one.is_set()) for one in self.events]
        queues = [f"{one.qsize()} {show(one.empty())} {show(one.full())}" for one in self.queues]
        barriers = [f"{one.n_waiting} {show(one.broken)}" for one in self.barriers]
        self.say(f"{whose} {' '.join(locked)}, {' '.join(is_set)}")
        self.say(f"{whose} {', '.join(queues + barriers)}")

    async def turns(self, count):
        for _ in range(count):
            await asyncio.sleep(0)

    async def Yield(self, whose, which, count):
        await self.turns(count)

    async def Acquire(self, whose, which, count):
        await self.locks[which].acquire()

    async def With(self, whose, which, count):
        async with self.locks[which]:
            self.say(f"{whose} in")
            await self.turns(count)

    async def EventWait(self, whose, which, count):
        await self.events[which].wait()

    async def ConditionWait(self, whose, which, count):
        async with self.conditions[which]:
            self.say(f"{whose} in")
            await self.conditions[which].wait()
            self.say(f"{whose} notified")
            await self.turns(count)

    async def ConditionWaitFor(self, whose, which, count):
        def is_high():
            self.say(f"{whose} is it {count}? {self.level}")
            return self.level >= count
        async with self.conditions[which]:
            await self.conditions[which].wait_for(is_high)

    async def ConditionNotify(self, whose, which, count):
        async with self.conditions[which]:
            self.conditions[which].notify(count)
            self.say(f"{whose} in")
            await self.turns(count % 2)

    async def ConditionChange(self, whose, which, count):
        async with self.conditions[which]:
            self.level += 1
            await self.turns(count % 2)
            self.conditions[which].notify_all()

    async def SemaphoreAcquire(self, whose, which, count):
        await self.semaphores[which].acquire()

    async def SemaphoreWith(self, whose, which, count):
        async with self.semaphores[which]:
            self.say(f"{whose} in")
            await self.turns(count)

    async def Put(self, whose, which, count):
        await self.queues[which].put(count)

    async def Get(self, whose, which, count):
        self.say(f"{whose} {await self.queues[which].get()}")

    async def QueueJoin(self, whose, which, count):
        await self.queues[which].join()

    async def BarrierWait(self, whose, which, count):
        index = await self.barriers[which].wait()
        if self.barriers[which].parties == 2:
            self.say(f"{whose} {index}")

    async def BarrierReset(self, whose, which, count):
        await self.barriers[which].reset()

    async def BarrierAbort(self, whose, which, count):
        await self.barriers[which].abort()

    async def direct(self):
        for number in range(len(self.scripts)):
            self.tasks.append(self.loop.create_task(self.perform(number)))
        await self.turns(40)
        for round in range(10):
            left = [number for number, task in enumerate(self.tasks) if not task.done()]
            if not self.cancels or not left:
                break
            for number in left:
                answer = show(self.tasks[number].cancel())
                self.say(f"round {round}: {number} is left, cancel {answer}")
            await self.turns(10)
            for number, lock in enumerate(self.locks):
                if lock.locked():
                    self.say(f"round {round}: lock {number} is left")
                    lock.release()
            await self.turns(20)
        for number, task in enumerate(self.tasks):
            done, cancelled = show(task.done()), show(task.cancelled())
            self.say(f"{number}: done {done}, cancelled {cancelled}, asked {task.cancelling()}")
        self.do_Look("end", 0, 0)


def play(lines):
    cancels, *lines = lines
    scripts = []
    for line in lines:
        policy, *actions = line.split()
        parts = (action.split(":") for action in actions)
        scripts.append([policy, *((name, *map(int, numbers)) for name, *numbers in parts)])
    loop = Loop()
    stage = Stage(cancels == "1", scripts, loop)
    loop.run_until_complete(stage.direct())
    for task in stage.tasks:
        task._log_destroy_pending = False
    loop.close()
    # What's left of a program that cancels nothing may still say something when it's destroyed.
    return list(stage.lines)


# A coroutine that's destroyed while it waits for a condition tries to take the lock again first.
sys.unraisablehook = lambda unraisable: None
play_all(play)
