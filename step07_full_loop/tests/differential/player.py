"""Plays random programs on CPython's asyncio; player.rs does the same on our loop, line by line."""
import asyncio
import os
import signal

from programs import play_all
from support.virtual_clock import VirtualLoop

FUTURES = 3
PIPES = 2
SIGNALS = (signal.SIGUSR1, signal.SIGUSR2)
ALONE = ("Say", "Soon", "Fail", "Threadsafe", "Stop")


class Stage:
    def __init__(self, scripts, loop):
        self.scripts, self.loop = scripts, loop
        self.tasks = [None] * len(scripts)
        self.futures = [loop.create_future() for _ in range(FUTURES)]
        self.pipes = [os.pipe() for _ in range(PIPES)]
        self.handles = []
        self.raised = [False for _ in SIGNALS]
        self.timers = 0
        self.lines = []
        loop.set_exception_handler(self.report)
        for number, one in enumerate(SIGNALS):
            loop.add_signal_handler(one, self.on_signal, number)

    def say(self, line):
        self.lines.append(line)

    def report(self, loop, context):
        if "handle" in context:
            self.say("a callback has failed")

    def on_signal(self, number):
        self.raised[number] = False
        self.say(f"signal {number}")

    def on_readable(self, pipe, whose):
        count = len(os.read(self.pipes[pipe][0], 16))
        self.say(f"pipe {pipe}: {count}, for {whose}")

    def on_writable(self, pipe, whose):
        self.loop.remove_writer(self.pipes[pipe][1])
        self.say(f"room in pipe {pipe}, for {whose}: true")

    def fail(self):
        raise ValueError("as it should")

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
            shown = name if name in ALONE else f"{name}({argument})"
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
            handle = self.loop.call_soon(self.say, f"{number}.{at} called soon")
            self.handles.append(handle)
        elif name == "Later":
            delay = self.delay(max(argument, 1))
            handle = self.loop.call_later(delay, self.say, f"{number}.{at} called later")
            self.handles.append(handle)
        elif name == "Finish":
            future = self.futures[argument]
            finished = not future.done()
            if finished:
                future.set_result(number)
            self.say(f"{number}.{at} finished: {str(finished).lower()}")
        elif name == "Wait":
            result = await self.futures[argument]
            self.say(f"{number}.{at} got {result}")
        else:
            self.act_on_the_loop(f"{number}.{at}", name, argument)

    def act_on_the_loop(self, whose, name, argument):
        loop = self.loop
        if name == "CancelHandle" and argument < len(self.handles):
            self.handles[argument].cancel()
        elif name == "Fail":
            loop.call_soon(self.fail)
        elif name == "Threadsafe":
            loop.call_soon_threadsafe(self.say, f"{whose} called threadsafe")
        elif name == "AddReader":
            loop.add_reader(self.pipes[argument][0], self.on_readable, argument, whose)
        elif name == "RemoveReader":
            removed = loop.remove_reader(self.pipes[argument][0])
            self.say(f"{whose} removed: {str(removed).lower()}")
        elif name == "AddWriter":
            loop.add_writer(self.pipes[argument][1], self.on_writable, argument, whose)
        elif name == "Write":
            os.write(self.pipes[argument][1], b"!")
        elif name == "Raise" and not self.raised[argument]:
            self.raised[argument] = True
            signal.raise_signal(SIGNALS[argument])
        elif name == "Stop":
            loop.stop()

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


def play(lines):
    scripts = []
    for line in lines:
        policy, *actions = line.split()
        pairs = (action.split(":") for action in actions)
        scripts.append([policy, *((name, int(argument)) for name, argument in pairs)])
    loop = VirtualLoop(now=0.0)
    stage = Stage(scripts, loop)
    main = loop.create_task(stage.direct())
    while True:
        try:
            loop.run_until_complete(main)
            break
        except RuntimeError:
            stage.say("stopped")
    loop.close()
    for descriptor in sum(stage.pipes, ()):
        os.close(descriptor)
    return stage.lines


play_all(play)
