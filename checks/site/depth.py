"""The `depth` figure: one stored layer, applied step after step, and the hidden state that it changes.

The numbers are computed when the site is built, by the oracle in NumPy: one token of a small random input,
followed through an encoder whose steps share one set of weights, and through one whose steps have their own.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from checks.oracles import encoders
from checks.oracles.blocks import part

Array = np.ndarray
WIDTH, TOP, COLUMN, CELL = 380, 62, 38, 13


def case(steps: int, seed: int) -> dict[str, Any]:
    """A configuration of `steps` shared layers, weights for `steps` different ones, and 5 tokens of width 8."""
    return encoders.case(
        np.random.default_rng(seed), rows=1, tokens=5, masked=False, n_layers=steps, sharing="all"
    )


def states(steps: int, seed: int, shared: bool) -> Array:
    """The first token's hidden state before and after every step, `[steps + 1, 8]`."""
    found = case(steps, seed)
    layers = [part(found["weights"], f"layers.{0 if shared else i}") for i in range(steps)]
    path = [found["hidden"]]
    for layer in layers:
        path.append(encoders.run_steps([layer], found["config"], path[-1], None))
    return np.array([hidden[0, 0] for hidden in path])


def turns(path: Array) -> list[float]:
    """The angle in degrees by which each step turns the hidden state."""
    units = path / np.linalg.norm(path, axis=1, keepdims=True)
    return [float(np.degrees(np.arccos(np.clip(a @ b, -1, 1)))) for a, b in pairwise(units)]


def depth(data: dict[str, Any]) -> str:
    """The drawing and its table. Keys: `steps` (2 to 8) and `seed`."""
    steps, seed = int(data.get("steps", 6)), int(data.get("seed", 0))
    if not 2 <= steps <= 8:
        raise ValueError(f"steps: got {steps}, expected 2 to 8")
    shared, own = (states(steps, seed, kind) for kind in (True, False))
    return _svg(shared) + _table(shared, own)


def _svg(path: Array) -> str:
    steps, width = len(path) - 1, path.shape[1]
    gap = (WIDTH - COLUMN) / steps
    scale = COLUMN / 2 / np.abs(path).max()
    base = TOP + width * CELL
    parts = [
        f'<rect class="lb-depth__store" x="1" y="1" width="{WIDTH - 2}" height="30" rx="5"/>'
        f'<text x="{WIDTH / 2}" y="21" text-anchor="middle">one layer, stored once</text>'
    ]
    for step, hidden in enumerate(path):
        left = step * gap
        middle = left + COLUMN / 2
        parts.append(f'<path class="lb-axis" d="M{middle:.1f},{TOP}V{base}"/>')
        parts += [_bar(middle, TOP + row * CELL, float(value) * scale) for row, value in enumerate(hidden)]
        parts.append(f'<text x="{middle:.1f}" y="{base + 18}" text-anchor="middle">{step}</text>')
        if step < steps:
            parts.append(_arrow(left + COLUMN, left + gap))
    label = f'<text x="{WIDTH / 2}" y="{base + 38}" text-anchor="middle">after how many applications</text>'
    return (
        f'<svg class="lb-chart-svg" viewBox="0 0 {WIDTH} {base + 46}" aria-hidden="true" focusable="false">'
        f"{''.join(parts)}{label}</svg>"
    )


def _bar(middle: float, top: float, length: float) -> str:
    kind = "up" if length >= 0 else "down"
    left = middle + min(length, 0.0)
    return (
        f'<rect class="lb-depth__{kind}" x="{left:.1f}" y="{top + 2:.1f}" width="{abs(length):.1f}" '
        f'height="{CELL - 4}"/>'
    )


def _arrow(start: float, end: float) -> str:
    """From the store down between two columns, and on to the right."""
    middle, foot = (start + end) / 2, TOP - 10
    return (
        f'<path class="lb-depth__use" d="M{middle:.1f},31V{foot}M{start:.1f},{foot}H{end:.1f}'
        f'm-5,-4l5,4l-5,4"/>'
    )


def _table(shared: Array, own: Array) -> str:
    numbers = [f"{value:.1f}" for value in turns(shared)], [f"{value:.1f}" for value in turns(own)]
    rows = ""
    for step, hidden in enumerate(shared):
        entries = "".join(f"<td>{float(value):.2f}</td>" for value in hidden[:3])
        angles = "".join(f"<td>{turn[step - 1] if step else '-'}</td>" for turn in numbers)
        rows += f'<tr><th scope="row">{step}</th>{entries}{angles}</tr>'
    names = ("Applications", "entry 0", "entry 1", "entry 2", "turn, shared", "turn, own weights")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return (
        "<details><summary>The numbers, with the turn of each step in degrees</summary>"
        f'<div class="lb-scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>'
    )
