"""The twin of the scene slow_steps_in_debug_mode, on CPython's asyncio."""
import asyncio
import logging
import re


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    now = 0.0

    def time(self):
        return self.now


class WithoutPlace(logging.Handler):
    def emit(self, record):
        message = record.getMessage()
        print("  " + re.sub(r"<(Task \w+ name='\w+'|Handle).* created at [^>]*>", r"<\1>", message))


logger = logging.getLogger("asyncio")
logger.addHandler(WithoutPlace())
logger.propagate = False
loop = VirtualTimeLoop()


def work(millis):
    print(f"{millis} ms of work")
    loop.now += millis / 1000


def tick():
    loop.stop()
    loop.run_forever()


async def steps():
    work(125)
    await asyncio.sleep(0)
    work(50)
    await asyncio.sleep(0)
    work(750)


loop.call_soon(work, 500)
tick()
print("set_debug(true)")
loop.set_debug(True)
loop.call_soon(work, 50)
loop.call_soon(work, 250)
tick()
loop.run_until_complete(loop.create_task(steps(), name="worker"))
print("slow_callback_duration = 1 s")
loop.slow_callback_duration = 1
loop.call_soon(work, 750)
loop.call_soon(work, 1500)
tick()
# Without the message that it is closed.
loop.set_debug(False)
loop.close()
