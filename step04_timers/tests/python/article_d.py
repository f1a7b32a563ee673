import asyncio
from collections import deque
import heapq
import time

class SimpleEventLoop:
    """Упрощённая реализация event loop для понимания"""

    def __init__(self):
        self._ready = deque()      # Готовые к выполнению
        self._scheduled = []       # Отложенные (heap)
        self._stopping = False

    def time(self):
        return time.monotonic()

    def call_soon(self, callback, *args):
        """Добавить в очередь готовых"""
        self._ready.append((callback, args))

    def call_later(self, delay, callback, *args):
        """Добавить с задержкой"""
        when = self.time() + delay
        heapq.heappush(self._scheduled, (when, callback, args))

    def run_forever(self):
        """Основной цикл"""
        while not self._stopping:
            self._run_once()

    def _run_once(self):
        """Одна итерация цикла"""
        # Обрабатываем сработавшие таймеры
        now = self.time()
        while self._scheduled and self._scheduled[0][0] <= now:
            when, callback, args = heapq.heappop(self._scheduled)
            self._ready.append((callback, args))

        # Выполняем готовые колбэки
        while self._ready:
            callback, args = self._ready.popleft()
            callback(*args)

        # Небольшая пауза, если нечего делать
        if not self._ready and not self._scheduled:
            time.sleep(0.01)

    def stop(self):
        self._stopping = True

# Демонстрация
def demo():
    loop = SimpleEventLoop()

    def printer(msg):
        print(f"[{time.strftime('%H:%M:%S')}] {msg}")

    def stopper():
        loop.stop()

    loop.call_soon(printer, "Немедленно")
    loop.call_later(0.5, printer, "Через 0.5 сек")
    loop.call_later(1.0, printer, "Через 1 сек")
    loop.call_later(1.5, stopper)

    loop.run_forever()
    print("Event loop остановлен")

demo()
