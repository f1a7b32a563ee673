"""The twin of the scene a_greeting, on CPython's asyncio."""
import asyncio


async def greet():
    print("  hello from inside")


async def main():
    print("greet() is called")
    coroutine = greet()
    print("create_task(coroutine)")
    task = asyncio.create_task(coroutine)
    print(f"the task is done: {str(task.done()).lower()}")
    print("one round of the queue")
    await asyncio.sleep(0)
    print(f"the task is done: {str(task.done()).lower()}")
    print("greet() is called again, and its coroutine is dropped")
    greet().close()
    print("end")


asyncio.run(main())
