"""The twin of the scene dropped_in_the_middle: a coroutine of CPython's that is closed."""
import types


class Held:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        print(f"  {self.name} is released")


@types.coroutine
def pause():
    yield


async def outer():
    with Held("outer's file"), Held("outer's lock"):
        await inner()
        print("outer continues")


async def inner():
    with Held("inner's socket"):
        await pause()
        print("inner continues")


coroutine = outer()
coroutine.send(None)
print("polled once: pending")
coroutine.close()
print("dropped")
