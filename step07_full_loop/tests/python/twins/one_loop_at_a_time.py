"""The twin of the scene one_loop_at_a_time, on CPython's asyncio."""
import asyncio


def refusal(act):
    try:
        act()
    except RuntimeError as error:
        return error
    return "no error"


def run(a_loop):
    # It checks the same as run_forever, but before that: when the first versions of 3.13 refuse
    # run_forever, they forget the loop that's running (gh-130145), and another one runs inside it.
    a_loop.run_until_complete(never)


async def inside():
    running = asyncio.get_running_loop()
    print(f"inside: is_running() = {str(running.is_running()).lower()}")
    print(f"this loop, run again: {refusal(lambda: run(running))}")
    other = asyncio.new_event_loop()
    print(f"another loop, run here: {refusal(lambda: run(other))}")
    other.close()
    print(f"close() from inside: {refusal(running.close)}")
    return 42


loop = asyncio.new_event_loop()
never = loop.create_future()
print(f"outside: {refusal(asyncio.get_running_loop)}")
answer = loop.run_until_complete(inside())
print(f"run_until_complete returned {answer}")
loop.call_soon(loop.stop)
print(f"stopped early: {refusal(lambda: run(loop))}")
loop.close()
print(f"close() twice: {refusal(loop.close)}")
print(f"is_closed() = {str(loop.is_closed()).lower()}")
print(f"run after close: {refusal(loop.run_forever)}")
