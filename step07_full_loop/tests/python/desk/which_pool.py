import asyncio
import concurrent.futures
import os

changed = []


def work():
    changed.append("here")
    return os.getpid()


async def main():
    loop = asyncio.get_running_loop()
    for name in "ThreadPoolExecutor", "ProcessPoolExecutor", "InterpreterPoolExecutor":
        if not hasattr(concurrent.futures, name):
            print(name, "came with 3.14")
            continue
        changed.clear()
        with getattr(concurrent.futures, name)() as pool:
            process = await loop.run_in_executor(pool, work)
        same = process == os.getpid(), changed == ["here"]
        print(f"{name}: same process {same[0]}, same variables {same[1]}")


if __name__ == "__main__":
    asyncio.run(main())
