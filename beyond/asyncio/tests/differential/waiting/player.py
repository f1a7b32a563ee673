"""Plays random programs on CPython's asyncio; player.rs does the same on our loop, line by line."""
import asyncio
import sys

from programs import play_all
from support.virtual_clock import VirtualLoop

FUTURES = 3
TASKS = 5
NEVER = 9
MODES = (asyncio.FIRST_COMPLETED, asyncio.FIRST_EXCEPTION, asyncio.ALL_COMPLETED)
VERSION = sys.version_info[:2]
VERSIONS_DIFFER = "versions differ"
REFUSALS = ("has not been entered", "has already been entered", "is finished", "is shutting down")


class InOrder(dict):
    """A set that keeps the order in which things were added: a group cancels in that order."""

    def add(self, item):
        self[item] = None

    def discard(self, item):
        self.pop(item, None)


class NumberedFuture(asyncio.Future):
    """wait and as_completed make sets, in which small hashes are in their order."""

    def __init__(self, number):
        self.number = number
        super().__init__()

    def __hash__(self):
        return self.number


class NumberedTask(asyncio.Task):
    __hash__ = NumberedFuture.__hash__

    def __init__(self, stage, coroutine, **settings):
        self.stage, self.number = stage, stage.next_number
        super().__init__(coroutine, **settings)

    def uncancel(self):
        if VERSION < (3, 13) and self._must_cancel and self.cancelling() == 1:
            # Since 3.13, this drops the cancellation.
            self.stage.say(VERSIONS_DIFFER)
        return super().uncancel()


class Stage:
    def __init__(self, scripts, loop):
        self.scripts, self.loop = scripts, loop
        self.tasks = [None] * len(scripts)
        self.next_number = 0
        self.futures = []
        self.outers, self.groups, self.scopes = [], [], []
        self.timers = 0
        self.lines = []
        loop.set_exception_handler(lambda loop, context: None)
        loop.set_task_factory(lambda loop, coroutine, **_: NumberedTask(self, coroutine, loop=loop))

    def say(self, line):
        self.lines.append(line)

    def spawn(self, number):
        if self.tasks[number] is None:
            self.next_number = number
            self.tasks[number] = self.loop.create_task(self.perform(number))
        return self.tasks[number]

    def delay(self, milliseconds):
        if milliseconds == NEVER:
            return None
        if milliseconds == 0:
            return 0
        self.timers += 1
        return milliseconds / 1e3 + self.timers**5 % 999_983 * 618_033 % 999_983 / 1e9

    async def perform(self, number):
        await self.block(number, 0, len(self.scripts[number][2]))
        return number

    async def block(self, number, at, end):
        cancelled, fails, actions = self.scripts[number]
        while at < end:
            kind, *numbers = actions[at]
            length = numbers[0] if kind in ("Timeout", "Group") else 0
            inner = min(at + 1 + length, end)
            shown = f"{number}.{at} {kind}"
            try:
                await self.act(number, at, inner)
                timers = sum(not timer.cancelled() for timer in self.loop._scheduled)
                self.say(f"{shown}, {timers} timers")
            except asyncio.CancelledError:
                self.say(f"{shown} is cancelled")
                if cancelled == "Pass":
                    raise
                if cancelled == "CleanUp":
                    await asyncio.sleep(self.delay(1))
                    self.say(f"{number}.{at} cleaned up")
                    raise
            except Exception as error:
                self.say(f"{shown} has failed: {describe(error)}")
                if fails == "Fails":
                    raise
            at = inner

    async def act(self, number, at, end):
        kind, first, second, third = self.scripts[number][2][at]
        whose = f"{number}.{at}"
        if kind == "Sleep":
            await asyncio.sleep(self.delay(first))
        elif kind == "Spawn":
            self.spawn(first)
        elif kind == "Cancel":
            task = self.tasks[first]
            answer = "None" if task is None else f"Some({show(task.cancel())})"
            self.say(f"{whose} cancel: {answer}")
        elif kind == "Uncancel":
            self.say(f"{whose} left: {asyncio.current_task().uncancel()}")
        elif kind == "Finish" and not self.futures[first].done():
            self.futures[first].set_result(TASKS + first)
        elif kind == "Break" and not self.futures[first].done():
            self.futures[first].set_exception(ValueError(whose))
        elif kind == "Await":
            self.say(f"{whose} got {await self.futures[first]}")
        elif kind == "Fail":
            raise ValueError(whose)
        elif kind == "CancelOuter" and first < len(self.outers):
            self.say(f"{whose} cancel outer: {show(self.outers[first].cancel())}")
        elif kind in ("Join", "Shield", "WaitFor") and first > number:
            self.say(f"{whose} got {await self.one(kind, self.spawn(first), second)}")
        elif kind in ("Gather", "GatherExceptions"):
            await self.gather(whose, self.arguments(number, first), kind == "GatherExceptions")
        elif kind in ("Wait", "AsCompleted"):
            await self.many(whose, self.arguments(number, first), kind, second, third)
        elif kind == "Reschedule" and self.scopes:
            self.reschedule(whose, self.delay(first))
        elif kind == "Start" and self.groups and first > number and self.tasks[first] is None:
            self.start(whose, first)
        elif kind == "Timeout":
            await self.timeout(whose, self.delay(second), self.block(number, at + 1, end))
        elif kind == "Group":
            await self.group(self.block(number, at + 1, end))
        elif kind == "Enter":
            await self.enter(whose, self.scopes, "limit")
            await self.enter(whose, self.groups, "group")

    def arguments(self, number, mask):
        later = range(number + 1, len(self.scripts))
        tasks = [self.spawn(task) for task in later if mask >> task & 1]
        futures = [future for future in self.futures if mask >> future.number & 1]
        return tasks + futures

    async def one(self, kind, task, limit):
        if kind == "Shield":
            outer = asyncio.shield(task)
            self.outers.append(outer)
            return await outer
        if kind == "WaitFor":
            return await asyncio.wait_for(task, self.delay(limit))
        return await task

    async def gather(self, whose, arguments, return_exceptions):
        if VERSION < (3, 12) and any(argument.done() for argument in arguments):
            # Since 3.12, their callbacks are called at once.
            self.say(VERSIONS_DIFFER)
        outer = asyncio.gather(*arguments, return_exceptions=return_exceptions)
        self.outers.append(outer)
        self.say(f"{whose} gathered {', '.join(map(describe, await outer))}")

    async def many(self, whose, arguments, kind, second, third):
        if kind == "AsCompleted":
            for coming in asyncio.as_completed(arguments, timeout=self.delay(second)):
                try:
                    self.say(f"{whose} next: {await coming}")
                except Exception as error:
                    self.say(f"{whose} next: {describe(error)}")
        else:
            limit = self.delay(third)
            done, _ = await asyncio.wait(arguments, timeout=limit, return_when=MODES[second])
            self.say(f"{whose} done: {sorted(future.number for future in done)}")

    def reschedule(self, whose, delay):
        when = None if delay is None else self.loop.time() + delay
        try:
            self.scopes[-1].reschedule(when)
        except RuntimeError as error:
            self.say(f"{whose} {error}")

    def start(self, whose, number):
        coroutine = self.perform(number)
        self.next_number = number
        try:
            self.tasks[number] = self.groups[-1].create_task(coroutine)
        except RuntimeError as error:
            coroutine.close()
            self.say(f"{whose} the group {refusal_in(error)}")

    async def timeout(self, whose, delay, block):
        scope = asyncio.timeout(delay)
        self.scopes.append(scope)
        try:
            async with scope:
                await block
        finally:
            when = scope.when()
            left = None if when is None else int(max(when - self.loop.time(), 0) * 1e6)
            self.say(f"{whose} expired: {show(scope.expired())}, left: {left}")

    async def group(self, block):
        try:
            async with asyncio.TaskGroup() as group:
                group._tasks = InOrder()
                self.groups.append(group)
                await block
        except ExceptionGroup:
            if VERSION < (3, 13) and asyncio.current_task().cancelling():
                # Since 3.13, the group leaves as many requests as it has found, and delivers them.
                self.say(VERSIONS_DIFFER)
            raise

    async def enter(self, whose, those_that_were_made, what):
        try:
            for newest in those_that_were_made[-1:]:
                async with newest:
                    pass
        except RuntimeError as error:
            self.say(f"{whose} the {what} {refusal_in(error)}")

    async def direct(self):
        self.futures = [NumberedFuture(TASKS + number) for number in range(FUTURES)]
        self.spawn(0)
        await asyncio.sleep(1000)
        for round in range(10):
            for number, task in enumerate(self.tasks):
                if task is not None and not task.done():
                    answer = show(task.cancel())
                    self.say(f"round {round}: {number} is left, cancel {answer}")
            await asyncio.sleep(1000)
        for number, task in enumerate(self.tasks):
            if task is not None:
                self.say(f"{number}: {outcome(task)}, asked {task.cancelling()}")


def show(truth):
    return str(truth).lower()


def refusal_in(error):
    return next(refusal for refusal in REFUSALS if refusal in str(error))


def describe(result):
    if isinstance(result, asyncio.CancelledError):
        return "cancelled"
    if isinstance(result, TimeoutError):
        return "timed out"
    if isinstance(result, ExceptionGroup):
        return f"group({', '.join(map(describe, result.exceptions))})"
    return str(result)


def outcome(task):
    if not task.done():
        return "pending"
    if task.cancelled():
        return "cancelled"
    return describe(task.exception() or task.result())


def play(lines):
    scripts = []
    for line in lines:
        cancelled, fails, *actions = line.split()
        actions = [action.split(":") for action in actions]
        actions = [(kind, *map(int, numbers)) for kind, *numbers in actions]
        scripts.append((cancelled, fails, actions))
    loop = VirtualLoop(now=0.0)
    stage = Stage(scripts, loop)
    loop.run_until_complete(stage.direct())
    for task in stage.tasks:
        if task is not None:
            task._log_destroy_pending = False
    loop.close()
    return stage.lines


play_all(play)
