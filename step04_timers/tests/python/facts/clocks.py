"""Which clock asyncio's loop reads, and how fine its readings are."""
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
days = 195 * 86400.0
print("after 195 days, a nanosecond later is:", "now" if days + 1e-9 == days else "later")
print("the next float is", f"{math.ulp(days) * 1e9:.1f}", "ns away")
loop.close()
