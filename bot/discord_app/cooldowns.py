"""How often someone may ask: a sliding window per person and per channel."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from math import ceil

MOST = 20_000


class Cooldown:
    """At most `count` in any `seconds`. `clock` gives seconds that never go back."""

    def __init__(self, count: int, seconds: float, clock: Callable[[], float]) -> None:
        self.count, self.seconds, self._clock = count, seconds, clock
        self._used: OrderedDict[int, deque[float]] = OrderedDict()

    def wait(self, key: int) -> int:
        """Seconds until the next is allowed, rounded up; 0 means now."""
        times = self._used.get(key)
        if times is None or len(times) < self.count:
            return 0
        left = times[0] + self.seconds - self._clock()
        return max(0, ceil(left))

    def use(self, key: int) -> None:
        """Count one."""
        times = self._used.get(key)
        if times is None:
            times = self._used[key] = deque(maxlen=self.count)
        times.append(self._clock())
        self._used.move_to_end(key)
        while len(self._used) > MOST:
            self._used.popitem(last=False)
