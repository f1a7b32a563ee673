"""Plays random programs on CPython's asyncio; player.rs does the same on our loop, line by line.

Programs come on standard input, each ended by an empty line; transcripts go to standard output in
the same way.
"""
import asyncio
import sys

FUTURES = 3


class VirtualSelector:
    """Where the loop would sleep, its clock jumps."""

    def __init__(self, loop, selector):
        self.loop, self.selector = loop, selector

    def select(self, timeout=None):
        if timeout:
            self.loop.now += timeout
        return self.selector.select(0)

    def __getattr__(self, name):
        return getattr(self.selector, name)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.now = 0.0
        super().__init__()
        self._selector = VirtualSelector(self, self._selector)
        self.set_exception_handler(lambda loop, context: None)

    def time(self):
        return self.now


class Stage:
    def __init__(self, scripts, loop):
        self.scripts, self.loop = scripts, loop
        self.tasks = [None] * len(scripts)
        self.futures = [loop.create_future() for _ in range(FUTURES)]
        self.timers = 0
        self.lines = []

    def say(self, line):
        self.lines.append(line)

    def spawn(self, number):
        if self.tasks[number] is None:
            self.tasks[number] = self.loop.create_task(self.perform(number))

    def delay(self, milliseconds):
        if milliseconds == 0:
            return 0
        self.timers += 1
        return milliseconds / 1e3 + self.timers * 618_033 % 999_983 / 1e9

    async def perform(self, number):
        policy, *actions = self.scripts[number]
        for at, action in enumerate(actions):
            name, argument = action
            shown = name if name in ("Say", "Soon") else f"{name}({argument})"
            try:
                await self.act(number, at, name, argument)
                self.say(f"{number}.{at} {shown}")
            except asyncio.CancelledError:
                self.say(f"{number}.{at} {shown} is cancelled")
                if policy == "Pass":
                    raise
                if policy == "CleanUp":
                    await asyncio.sleep(self.delay(1))
                    self.say(f"{number}.{at} cleaned up")
                    raise
        return number

    async def act(self, number, at, name, argument):
        if name == "Sleep":
            await asyncio.sleep(self.delay(argument))
        elif name == "Spawn":
            self.spawn(argument)
        elif name == "Cancel":
            task = self.tasks[argument]
            answer = "None" if task is None else f"Some({str(task.cancel()).lower()})"
            self.say(f"{number}.{at} cancel: {answer}")
        elif name == "Join" and argument > number:
            task = self.tasks[argument]
            if task is not None:
                result = await task
                self.say(f"{number}.{at} joined {result}")
        elif name == "Soon":
            self.loop.call_soon(self.say, f"{number}.{at} called soon")
        elif name == "Later":
            delay = self.delay(max(argument, 1))
            self.loop.call_later(delay, self.say, f"{number}.{at} called later")
        elif name == "Finish":
            future = self.futures[argument]
            finished = not future.done()
            if finished:
                future.set_result(number)
            self.say(f"{number}.{at} finished: {str(finished).lower()}")
        elif name == "Wait":
            result = await self.futures[argument]
            self.say(f"{number}.{at} got {result}")

    async def direct(self):
        self.spawn(0)
        await asyncio.sleep(1000)
        for round in range(10):
            for number, task in enumerate(self.tasks):
                if task is not None and not task.done():
                    answer = str(task.cancel()).lower()
                    self.say(f"round {round}: {number} is left, cancel {answer}")
            await asyncio.sleep(1000)
        for number, task in enumerate(self.tasks):
            if task is not None:
                done = str(task.done()).lower()
                cancelled = str(task.cancelled()).lower()
                self.say(f"{number}: done {done}, cancelled {cancelled}, asked {task.cancelling()}")


def play(text):
    scripts = []
    for line in text.splitlines():
        policy, *actions = line.split()
        pairs = (action.split(":") for action in actions)
        scripts.append([policy, *((name, int(argument)) for name, argument in pairs)])
    loop = VirtualLoop()
    stage = Stage(scripts, loop)
    loop.run_until_complete(stage.direct())
    loop.close()
    return stage.lines


for program in sys.stdin.read().strip().split("\n\n"):
    print("\n".join(play(program)), end="\n\n")
