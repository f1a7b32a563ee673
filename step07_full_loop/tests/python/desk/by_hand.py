class Line:
    """Something to wait for: it hands itself to whoever drives the coroutine."""

    def __await__(self):
        line = yield self
        return line


async def greet():
    name = await Line()
    return f"Hello, {name}."


coroutine = greet()
waits_for = coroutine.send(None)
print("it waits for a", type(waits_for).__name__)
try:
    coroutine.send("Ann")
except StopIteration as end:
    print("it has returned:", end.value)
