"""A selector for Python's own event loop, which sleeps in the `select` of step 03."""

import selectors

from . import _loop


class Selector(selectors._BaseSelectorImpl):
    """What `selectors.EpollSelector` is, on step 03 instead of `select.epoll`.

    The base class keeps the map from file objects to keys that `get_map` shows. Step 03 keeps the keys, too: its
    `select` returns those of the ready descriptors.
    """

    def __init__(self):
        super().__init__()
        self._selector = _loop.Selector()

    def register(self, fileobj, events, data=None):
        key = super().register(fileobj, events, data)
        try:
            self._selector.register(key.fd, events, key)
        except BaseException:
            super().unregister(fileobj)
            raise
        return key

    def modify(self, fileobj, events, data=None):
        if not events or events & ~(selectors.EVENT_READ | selectors.EVENT_WRITE):
            raise ValueError(f"Invalid events: {events!r}")
        key = self.get_key(fileobj)._replace(events=events, data=data)
        try:
            self._selector.modify(key.fd, events, key)
        except BaseException:
            super().unregister(fileobj)
            raise
        self._fd_to_key[key.fd] = key
        return key

    def unregister(self, fileobj):
        key = super().unregister(fileobj)
        self._selector.unregister(key.fd)
        return key

    def select(self, timeout=None):
        return self._selector.select(timeout)

    def fileno(self):
        return self._selector.fileno()

    def close(self):
        self._selector.close()
        super().close()
