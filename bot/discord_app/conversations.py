"""What was said lately by whom where: bounded, expiring, never written to disk."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable

TURNS = 6
FORGET_AFTER = 30 * 60.0
MOST = 5000


class Conversations:
    """The last turns of each conversation. `clock` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, deque[str]]] = OrderedDict()

    def turns(self, key: Hashable) -> tuple[str, ...]:
        """Earlier turns, oldest first; () after a pause of FORGET_AFTER."""
        found = self._kept.get(key)
        if found is None or self._clock() - found[0] > FORGET_AFTER:
            self._kept.pop(key, None)
            return ()
        return tuple(found[1])

    def add(self, key: Hashable, text: str) -> None:
        """Remember a turn; the conversation that was quiet longest makes room."""
        turns = deque(self.turns(key), maxlen=TURNS)
        turns.append(text)
        self._kept[key] = (self._clock(), turns)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def forget(self, key: Hashable) -> None:
        """Drop one conversation."""
        self._kept.pop(key, None)

    def forget_person(self, person: int) -> None:
        """Drop every conversation of a person; keys are (channel, person)."""
        for key in [key for key in self._kept if isinstance(key, tuple) and key[-1] == person]:
            del self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)
