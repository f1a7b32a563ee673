"""The twin of the scene a_blocking_call, on CPython's asyncio."""
import asyncio
import threading


async def opens(gate, waiting):
    if waiting[0]:
        print("  another task gets its turn and opens the gate")
    else:
        print("  another task gets its turn, but it's too late")
    gate.set()


def opened_by_another_task():
    gate, waiting = threading.Event(), [True]
    task = asyncio.create_task(opens(gate, waiting))
    return task, gate, waiting


def wait_for(gate, waiting, patience):
    outcome = "the gate is open" if gate.wait(patience) else "the gate is still closed"
    waiting[0] = False
    return outcome


async def main():
    print("called in the loop")
    task, gate, waiting = opened_by_another_task()
    print(f"  the function returns: {wait_for(gate, waiting, 0.02)}")
    await asyncio.sleep(0)
    print("called by to_thread")
    task, gate, waiting = opened_by_another_task()
    outcome = await asyncio.to_thread(wait_for, gate, waiting, None)
    print(f"  the function returns: {outcome}")


asyncio.run(main())
