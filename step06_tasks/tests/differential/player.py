"""Plays random programs on CPython's asyncio; player.rs does the same on our queue, line by line."""
import asyncio
import gc

from programs import play_all
from verbs import FUTURES, Failure, Verbs, shown

ERRORS = (asyncio.CancelledError, asyncio.InvalidStateError, RuntimeError, Failure)


class Stage(Verbs):
    def __init__(self, loop, rounds, tasks, callbacks):
        self.loop, self.rounds, self.tasks, self.callbacks = loop, rounds, tasks, callbacks
        self.objects = [loop.create_future() for _ in range(FUTURES)] + [None] * len(tasks)
        self.added = [[] for _ in self.objects]
        self.spawned = set()
        self.messages = {}
        self.cancelled = set()
        self.handles = []
        self.calls = 0
        self.tasks_before = None
        self.left_out = False
        self.lines, self.reports = [], []
        loop.set_exception_handler(self.report)

    def say(self, line):
        self.lines.append(line)

    def report(self, loop, context):
        kind = context["message"]
        if kind.startswith("Exception in callback"):
            kind = "Exception in callback: panicked"
        self.reports.append(f"{kind}: {shown(context.get('exception'))}")

    # The whole program.

    def play(self):
        for verbs in self.rounds:
            for verb in verbs:
                self.act("main", *verb)
            self.run_round()
        while self.loop._ready:
            self.run_round()
        while pending := [x for x in self.numbers() if not self.objects[x].done()]:
            for x in pending:
                self.act("main", "Cancel", x, 0)
            while self.loop._ready:
                self.run_round()
        for x in self.numbers():
            self.act("main", "State", x, 0)
            if x >= FUTURES:
                self.act("main", "Cancelling", x, 0)
        self.objects.clear()
        self.tell_reports()
        return ["versions differ"] if self.left_out else self.lines

    def numbers(self):
        return [x for x, it in enumerate(self.objects) if it is not None]

    def run_round(self):
        self.say(f"round of {len(self.loop._ready)}")
        self.loop.stop()
        self.loop.run_forever()
        self.tell_reports()

    def tell_reports(self):
        """Objects are collected in no promised order."""
        gc.collect()
        self.lines += sorted(self.reports)
        self.reports.clear()

    # What tasks and callbacks do.

    async def perform(self, x):
        policy, verbs = self.tasks[x - FUTURES]
        for at, (kind, y, number) in enumerate(verbs):
            who = f"task {x}.{at}"
            if kind in ("Fail", "Panic", "RaiseCancelled", "Return"):
                self.say(f"{who}: {kind}")
                return self.end(x, kind, number)
            try:
                if kind == "Yield":
                    await asyncio.sleep(0)
                    self.say(f"{who}: has yielded")
                elif kind == "Await" and self.objects[y] is not None:
                    self.say(f"{who}: got {await self.wait(y)} of {y}")
                else:
                    self.act(who, kind, y, number)
            except ERRORS as error:
                self.say(f"{who}: {kind} {y} fails: {shown(error)}")
                if policy == "Uncancel":
                    self.uncancel(x)
                elif policy in ("Pass", "CleanUp", "Linger"):
                    await self.clean_up(who, policy)
                    raise
                elif policy == "Replace":
                    raise Failure(f"instead of {kind}")
                elif policy == "Return":
                    return 100 + x
        return x

    def end(self, x, kind, number):
        if kind == "Return":
            return number
        if kind == "RaiseCancelled":
            raise asyncio.CancelledError(f"raised by {x}")
        raise Failure(f"failed in {x}" if kind == "Fail" else f"panicked: in {x}")

    async def clean_up(self, who, policy):
        try:
            if policy == "CleanUp":
                await asyncio.sleep(0)
            elif policy == "Linger" and self.objects[0] is not None:
                await self.wait(0)
        except ERRORS as error:
            self.say(f"{who}: clean-up fails: {shown(error)}")
            raise
        self.say(f"{who}: is clean")

    async def wait(self, x):
        # No variable holds the object: it would live on in the traceback of its error.
        # After a task has awaited itself, asyncio leaves this set, and the next await fails for it.
        self.objects[x]._asyncio_future_blocking = False
        try:
            return await self.objects[x]
        except asyncio.CancelledError as error:
            self.keep_message(x, error)
            raise

    def called_back(self, call, script, future):
        done, cancelled = str(future.done()).lower(), str(future.cancelled()).lower()
        self.say(f"callback {call}: done {done}, cancelled {cancelled}")
        self.called(f"callback {call}", script)

    def called(self, who, script):
        self.say(f"{who}: runs")
        for kind, x, number in self.callbacks[script]:
            if kind == "Fail":
                raise Failure(f"in {who}")
            self.act(who, kind, x, number)

    def act(self, who, kind, x, number):
        try:
            outcome = getattr(self, kind)(x, number)
        except ERRORS as error:
            outcome = shown(error)
            # It leads to the frames of callers, and a callback's frame holds its future.
            error.__traceback__ = None
        if isinstance(outcome, bool):
            outcome = str(outcome).lower()
        self.say(f"{who}: {kind} {x} {number}: {outcome}")


def parse(lines):
    parts = {"round": [], "task": [], "callback": []}
    for line in lines:
        part, *words = line.split()
        policy = words.pop(0) if part == "task" else None
        split = (word.split(":") for word in words)
        verbs = [(kind, int(x), int(number)) for kind, x, number in split]
        parts[part].append((policy, verbs) if part == "task" else verbs)
    return parts["round"], parts["task"], parts["callback"]


loop = asyncio.new_event_loop()
gc.freeze()
play_all(lambda lines: Stage(loop, *parse(lines)).play())
loop.close()
