"""The twin of the scene one_loop_at_a_time, on CPython's asyncio."""
import asyncio


def refusal(act):
    try:
        act()
    except RuntimeError as error:
        return error
    return "no error"


async def inside():
    running = asyncio.get_running_loop()
    print(f"inside: is_running() = {str(running.is_running()).lower()}")
    print(f"the loop in itself: {refusal(running.run_forever)}")
    other = asyncio.new_event_loop()
    print(f"another in this one: {refusal(other.run_forever)}")
    other.close()
    print(f"close() from inside: {refusal(running.close)}")
    return 42


loop = asyncio.new_event_loop()
print(f"outside: {refusal(asyncio.get_running_loop)}")
answer = loop.run_until_complete(inside())
print(f"run_until_complete gave {answer}")
loop.call_soon(loop.stop)
never = loop.create_future()
print(f"stopped early: {refusal(lambda: loop.run_until_complete(never))}")
loop.close()
print(f"close() twice: {refusal(loop.close)}")
print(f"is_closed() = {str(loop.is_closed()).lower()}")
print(f"run after close: {refusal(loop.run_forever)}")
