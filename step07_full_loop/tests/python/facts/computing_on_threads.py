"""Whether two threads of CPython compute at the same time, and whether the loop gets its turns
meanwhile. What the chapter quotes in seconds goes to standard error."""
import asyncio
import sys
import time


def compute(rounds=6_000_000):
    while rounds:
        rounds -= 1


def compute_until(done):
    while not done:
        compute(1000)


def has_gil():
    return getattr(sys, "_is_gil_enabled", lambda: True)()


async def main():
    began = time.perf_counter()
    compute()
    one = time.perf_counter() - began

    began, cpu_began = time.perf_counter(), time.process_time()
    await asyncio.gather(asyncio.to_thread(compute), asyncio.to_thread(compute))
    two, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    print(f"one: {one:.3f} s, two on threads: {two:.3f} s, of CPU time: {cpu:.3f} s", file=sys.stderr)
    # Under one lock, the threads together can't use more CPU time than has passed. The rest is what
    # the loop and the switching cost.
    print("two threads compute at the same time:", cpu > 1.1 * two)

    done = []
    thread = asyncio.create_task(asyncio.to_thread(compute_until, done))
    longest = 0.0
    for _ in range(20):
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        longest = max(longest, time.perf_counter() - began)
    done.append(True)
    await thread
    print(f"the longest of 20 sleeps of 1 ms: {longest * 1000:.1f} ms", file=sys.stderr)
    print("the loop has its turns while a thread computes")
    print("switch interval:", sys.getswitchinterval())


if has_gil():
    asyncio.run(main())
else:
    print("no global interpreter lock")
