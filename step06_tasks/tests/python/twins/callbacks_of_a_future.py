"""The twin of the scene callbacks_of_a_future, on CPython's asyncio."""
import asyncio


def is_done(future):
    return str(future.done()).lower()


async def main():
    future = asyncio.get_running_loop().create_future()

    def tell(name):
        future.add_done_callback(lambda future: print(f"{name} gets: Ok({future.result()})"))

    tell("first")
    tell("second")
    print(f"the future is done: {is_done(future)}")
    future.set_result(42)
    print("set_result(42): ok = true")
    print(f"after set_result, the future is done: {is_done(future)}")
    try:
        future.set_result(43)
    except asyncio.InvalidStateError:
        print("set_result(43): ok = false")
    print(f"cancel(): {str(future.cancel()).lower()}")
    print("one round of the queue")
    await asyncio.sleep(0)
    print("another callback is added")
    tell("late")
    print("another round")
    await asyncio.sleep(0)


asyncio.run(main())
