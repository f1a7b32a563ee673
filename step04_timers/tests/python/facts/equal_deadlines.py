"""Eight timers for the same moment, in CPython's asyncio: in which order do they fire?"""
import asyncio

loop = asyncio.new_event_loop()
fired = []
moment = loop.time() + 0.01
for number in range(8):
    loop.call_at(moment, fired.append, number)
loop.call_at(moment + 0.01, loop.stop)
loop.run_forever()
loop.close()
print(*fired)
