"""Times taken in turn: every side once a round, ratios within a round, their median over the rounds."""

import statistics
import time
from collections.abc import Callable

import torch

Step = Callable[[], object]
SQUARES = {"cpu": (512, 1024, 2048), "cuda": (4096, 8192, 16384)}
ROUND = 15.0  # seconds, about
MOST_TURNS = 20  # in a round
FLOPS = {"cpu": 2e10, "cuda": 2e14}  # of one timing of the peak


def seconds(step: Step, device: str) -> float:
    """What a call takes: this process's CPU time on a CPU, so that a busy machine counts less; else the clock."""
    if device == "cpu":
        start = time.process_time()
        step()
        return time.process_time() - start
    torch.cuda.synchronize()
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def in_turn(sides: dict[str, Step], rounds: int, device: str, turns: int = 1) -> dict[str, list[float]]:
    """Seconds of each side, a number a round: the mean of its turns. Every turn goes in the opposite order."""
    taken: dict[str, list[float]] = {name: [0.0] * rounds for name in sides}
    for number in range(rounds * turns):
        for name in list(sides)[:: 1 if number % 2 == 0 else -1]:
            taken[name][number // turns] += seconds(sides[name], device) / turns
    return taken


def turns_of(taken: dict[str, list[float]]) -> int:
    """How many turns make a round long enough that a busy moment does not decide it, by what a first one took."""
    return min(MOST_TURNS, max(1, round(ROUND / sum(times[0] for times in taken.values()))))


def median_ratio(above: list[float], below: list[float]) -> float:
    """The median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


class Peak:
    """The fastest square matrix product of this machine, as a side of its own in every round."""

    def __init__(self, device: str, precision: str) -> None:
        kind = "cpu" if device == "cpu" else "cuda"
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        best = None
        for n in SQUARES[kind]:
            a, b = (torch.randn(n, n, device=device, dtype=dtype) for _ in range(2))
            times = max(1, round(FLOPS[kind] / (2 * n**3)))

            def run(a: torch.Tensor = a, b: torch.Tensor = b, times: int = times) -> None:
                for _ in range(times):
                    a @ b

            run()
            rate = 2 * n**3 * times / min(seconds(run, device) for _ in range(3))
            if best is None or rate > best[0]:
                best = rate, n, run, times
        assert best is not None
        _, self.n, self.run, times = best
        self.flops = 2 * self.n**3 * times

    def share(self, useful_flops: float, taken: list[float], peak_taken: list[float]) -> float:
        """The useful FLOPs a second, over those of the product in the same round; the median."""
        return useful_flops / self.flops * median_ratio(peak_taken, taken)
