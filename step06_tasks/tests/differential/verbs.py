"""The verbs that can be carried out anywhere: in a task, in a callback, and between two rounds.

Each takes an object's number and another number, and returns what the transcript says of it.
"""
import asyncio
import sys

FUTURES = 3
MOST_CALLS = 20


class Failure(Exception):
    """An error of the program's own."""


def shown(error):
    if isinstance(error, asyncio.CancelledError):
        return f"cancelled({error})"
    # A task that awaits itself fails with a RuntimeError.
    if isinstance(error, asyncio.InvalidStateError) or type(error) is RuntimeError:
        return "invalid state"
    return str(error)


def message(number):
    """What comes with a cancellation, if anything."""
    return f"message {number}" if number else None


class Verbs:
    def Spawn(self, x, number):
        if x in self.spawned:
            return "was spawned before"
        self.spawned.add(x)
        self.objects[x] = self.loop.create_task(self.perform(x))
        if self.tasks_before is None:
            self.tasks_before = int(self.objects[x].get_name().removeprefix("Task-")) - 1
        return self.Name(x, number)

    def Create(self, x, number):
        if self.objects[x] is not None:
            return "is there"
        self.objects[x] = self.loop.create_future()
        return "created"

    def Drop(self, x, number):
        it = self.objects[x]
        # asyncio would collect a pending task that nothing else holds; our queue keeps it.
        if it is None or x >= FUTURES and not it.done():
            return "stays"
        if x >= FUTURES and it.cancelled():
            self.cancelled.add(x)
        self.objects[x] = None
        self.added[x].clear()
        return "dropped"

    def SetResult(self, x, number):
        it = self.objects[x]
        return "none" if it is None else it.set_result(number) or "set"

    def SetException(self, x, number):
        it = self.objects[x]
        return "none" if it is None else it.set_exception(Failure(f"error {number}")) or "set"

    def Cancel(self, x, number):
        it = self.objects[x]
        return "none" if it is None else it.cancel(message(number))

    def Cancelling(self, x, number):
        it = self.objects[x]
        return "none" if it is None else it.cancelling()

    def Uncancel(self, x, number):
        return "none" if self.objects[x] is None else self.uncancel(x)

    def Result(self, x, number):
        try:
            return "none" if self.objects[x] is None else self.objects[x].result()
        except asyncio.CancelledError as error:
            self.keep_message(x, error)
            raise

    def Exception(self, x, number):
        try:
            if self.objects[x] is None:
                return "none"
            error = self.objects[x].exception()
            return "no error" if error is None else f"error: {shown(error)}"
        except asyncio.CancelledError as error:
            self.keep_message(x, error)
            raise

    def State(self, x, number):
        it = self.objects[x]
        if it is None:
            return "none"
        return f"done {it.done()}, cancelled {it.cancelled()}".lower()

    def AddCallback(self, x, number):
        it = self.objects[x]
        if it is None or self.calls == MOST_CALLS:
            return "not added"
        self.calls += 1
        call, script = self.calls, number % len(self.callbacks)
        callback = lambda future: self.called_back(call, script, future)
        it.add_done_callback(callback)
        self.added[x].append(callback)
        return f"callback {call}"

    def RemoveCallback(self, x, number):
        it, added = self.objects[x], self.added[x]
        if it is None or not added:
            return "none"
        return it.remove_done_callback(added[-1 - number % len(added)]) == 1

    def CallSoon(self, x, number):
        if self.calls == MOST_CALLS:
            return "not called"
        self.calls += 1
        script = number % len(self.callbacks)
        self.handles.append(self.loop.call_soon(self.called, f"call {self.calls}", script))
        return f"call {self.calls}"

    def CancelHandle(self, x, number):
        if not self.handles:
            return "none"
        handle = self.handles[number % len(self.handles)]
        before = handle.cancelled()
        handle.cancel()
        return f"{before}, {handle.cancelled()}".lower()

    def SetName(self, x, number):
        it = self.objects[x]
        return "none" if it is None else it.set_name(f"name {number}") or self.Name(x, number)

    def Name(self, x, number):
        it = self.objects[x]
        return "none" if it is None else self.name_of(it)

    def Current(self, x, number):
        task = asyncio.current_task(self.loop)
        return "none" if task is None else self.name_of(task)

    def AllTasks(self, x, number):
        return ", ".join(sorted(map(self.name_of, asyncio.all_tasks(self.loop))))

    def name_of(self, task):
        """asyncio counts the tasks of the process, so those of earlier programs are subtracted."""
        name = task.get_name()
        if not name.startswith("Task-"):
            return name
        return f"Task-{int(name.removeprefix('Task-')) - self.tasks_before}"

    def Await(self, x, number):
        return "none"

    def Fail(self, x, number):
        return "nothing fails here"

    # What several verbs share.

    def keep_message(self, x, error):
        """asyncio tells the message to the first that asks a cancelled task, and an older one, or
        none, to all others. Ours tells all the same."""
        it = self.objects[x]
        if x in self.cancelled or x >= FUTURES and it is not None and it.cancelled():
            error.args = self.messages.setdefault(x, error.args)

    def uncancel(self, x):
        task = self.objects[x]
        if task.cancelling() <= 1 and task._must_cancel and sys.version_info < (3, 13):
            # Since 3.13, a pending cancellation is dropped with the last request.
            self.left_out = True
        return task.uncancel()
