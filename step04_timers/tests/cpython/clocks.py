"""Which clock does CPython's asyncio ask, and how fine is it?"""
import asyncio
import math
import time

loop = asyncio.new_event_loop()
info = time.get_clock_info("monotonic")
print("the loop's clock:", info.implementation)
print("can be set:", info.adjustable)
print("what counts as due now:", loop._clock_resolution)
before, asked, after = time.monotonic(), loop.time(), time.monotonic()
print("the same clock:", before <= asked <= after)
print("the suspended time is counted elsewhere:",
      time.clock_gettime(time.CLOCK_BOOTTIME) >= time.clock_gettime(time.CLOCK_MONOTONIC) - 0.001)
print("after 98 days a float's step is above a nanosecond:", math.ulp(98 * 86400.0) > 1e-9)
loop.close()
