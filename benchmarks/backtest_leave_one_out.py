"""How much do the engine's constants owe to the guides they reproduce?

Draws sets of constants around the shipped ones, tunes on three guides (most rows right; among equals the set nearest to
the shipped one) and scores the fourth. Also tells how many rows stay right when the constants are moved at random.

    python -m benchmarks.backtest_leave_one_out
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from bot.advice.backtest import Outcome, parse_rows, run
from bot.advice.engine import Engine
from bot.loading import files_root, load_name_resolver, load_period_prices, load_world, read_file

DRAWS = 80
SPREAD = 0.25
"""Every constant is multiplied by something between 1 - SPREAD and 1 + SPREAD."""
CONSTANTS = (
    "speed_exponent", "shortfall_exponent", "surplus_exponent", "used_factor", "mixed_factor", "weight_budget",
    "no_sixteen_bit_memory", "scaling_between_pcs",
)  # fmt: skip


@dataclass(frozen=True)
class Draw:
    distance: float
    outcomes: tuple[Outcome, ...]

    def right(self, guides: set[str]) -> int:
        return sum(bool(outcome.right) for outcome in self.outcomes if outcome.guide in guides)


def moved(engine: Engine, random_: random.Random) -> tuple[Engine, float]:
    """The engine with its constants moved at random, and how far."""
    factors = {name: 1 + random_.uniform(-SPREAD, SPREAD) for name in (*CONSTANTS, "beside", "ceiling")}
    values: dict[str, object] = {name: min(getattr(engine, name) * factors[name], 8.0) for name in CONSTANTS}
    for name in ("beside", "ceiling"):
        values[name] = {level: amount * factors[name] for level, amount in getattr(engine, name).items()}
    for name in ("used_factor", "mixed_factor", "scaling_between_pcs"):
        values[name] = min(1.0, getattr(engine, name) * factors[name])
    return replace(engine, **values), sum(abs(factor - 1) for factor in factors.values())  # type: ignore[arg-type]


def main() -> None:
    """Print the check."""
    root = files_root()
    rows = parse_rows(*read_file(root / "data/backtest.yaml", root))
    prices, resolve, world = load_period_prices(), load_name_resolver(), load_world()
    random_ = random.Random(2017)
    draws = [Draw(0.0, run(rows, prices, world, resolve))]
    for _ in range(DRAWS):
        engine, distance = moved(world.engine, random_)
        draws.append(Draw(distance, run(rows, prices, replace(world, engine=engine, cache={}), resolve)))
    guides = sorted({outcome.guide for outcome in draws[0].outcomes if outcome.right is not None})
    total = {g: sum(o.right is not None for o in draws[0].outcomes if o.guide == g) for g in guides}
    everything = sum(total.values())
    print(f"shipped constants: {draws[0].right(set(guides))} of {everything}")
    held, of = 0, 0
    for guide in guides:
        others = set(guides) - {guide}
        tuned = max(draws[1:], key=lambda draw: (draw.right(others), -draw.distance))
        right = tuned.right({guide})
        held, of = held + right, of + total[guide]
        print(
            f"tuned on the others ({tuned.right(others)} of {everything - total[guide]}), "
            f"{guide}: {right} of {total[guide]}"
        )
    print(f"left out in turn: {held} of {of}")
    scores = sorted(draw.right(set(guides)) for draw in draws[1:])
    print(
        f"{DRAWS} sets moved by up to {SPREAD:.0%} each: median {scores[len(scores) // 2]}, worst {scores[0]}, "
        f"best {scores[-1]} of {everything}"
    )
    fragile: dict[str, int] = {}
    for draw in draws[1:]:
        for outcome in draw.outcomes:
            if outcome.right is False:
                fragile[outcome.id] = fragile.get(outcome.id, 0) + 1
    worst = sorted(fragile.items(), key=lambda item: -item[1])[:8]
    print("rows that fall most often: " + ", ".join(f"{row} ({count})" for row, count in worst))


if __name__ == "__main__":
    main()
