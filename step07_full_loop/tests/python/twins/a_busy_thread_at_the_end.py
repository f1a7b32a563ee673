"""The twin of the scene a_busy_thread_at_the_end, on CPython's asyncio."""
import asyncio
import threading


async def main():
    loop = asyncio.get_running_loop()
    gate = threading.Event()

    def work():
        print(f"the thread: the gate is open: {str(gate.wait()).lower()}")

    def timer():
        print("a timer opens the gate")
        try:
            loop.run_in_executor(None, print)
        except RuntimeError as refusal:
            print(f"more work: {refusal}")
        gate.set()

    loop.run_in_executor(None, work)
    loop.call_later(0.1, timer)
    print("main returns")


asyncio.run(main())
print("run returns")
