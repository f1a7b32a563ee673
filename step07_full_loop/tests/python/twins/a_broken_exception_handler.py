"""The twin of the scene a_broken_exception_handler, on CPython's asyncio."""
import asyncio

loop = asyncio.new_event_loop()
calls = 0


def fail(message):
    raise RuntimeError(message)


def broken(loop, context):
    global calls
    calls += 1
    print("the handler's call", calls)
    if calls == 1:
        fail("the handler")
    loop.default_exception_handler(context)


def whole(loop, context):
    has_handle = str("handle" in context).lower()
    print(f"  reported: Exception in callback: {context['exception']}; with its handle = {has_handle}")


def replace():
    print("a callback replaces the handler")
    loop.set_exception_handler(whole)
    fail("the third callback")


def stop():
    print("the last callback: stop()")
    loop.stop()


loop.set_exception_handler(broken)
loop.call_soon(fail, "the first callback")
loop.call_soon(fail, "the second callback")
loop.call_soon(replace)
loop.call_soon(stop)
loop.run_forever()
loop.close()
