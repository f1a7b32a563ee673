"""In which order asyncio fires eight timers with the same deadline."""
import asyncio

loop = asyncio.new_event_loop()
fired = []
moment = loop.time() + 0.01
for name in range(8):
    loop.call_at(moment, fired.append, name)
loop.call_at(moment + 0.01, loop.stop)
loop.run_forever()
loop.close()
print(*fired)
