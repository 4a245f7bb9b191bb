"""One step of training in NumPy: clipping and AdamW."""

import numpy as np

from checks.oracles.blocks import Weights


def clipped(gradients: Weights, max_norm: float, how: str = "global") -> Weights:
    """Gradients of a global norm of at most `max_norm`.

    Options: `how` "each" (every tensor by its own norm), "none", "always" (also lifted to the norm), "value" (every
    number cut to plus or minus `max_norm`), "largest" (by the largest number instead of the norm), "sum" (by the sum
    of the tensors' norms), "squared" (by the square of the norm).
    """
    if how == "none":
        return dict(gradients)
    if how == "value":
        return {name: np.clip(g, -max_norm, max_norm) for name, g in gradients.items()}
    norms = {name: float(np.sqrt((g**2).sum())) for name, g in gradients.items()}
    whole = {
        "largest": max(float(np.abs(g).max()) for g in gradients.values()),
        "sum": sum(norms.values()),
        "squared": sum(norm**2 for norm in norms.values()),
    }.get(how, sum(norm**2 for norm in norms.values()) ** 0.5)
    found = {}
    for name, g in gradients.items():
        share = max_norm / ((norms[name] if how == "each" else whole) + 1e-6)
        found[name] = g * (share if how == "always" else min(share, 1.0))
    return found


class Descent:
    """AdamW over named weights, with PyTorch's defaults: betas 0.9 and 0.999, eps 1e-8."""

    def __init__(
        self, w: Weights, weight_decay: float, decay: str = "matrices", coupled: bool = False
    ) -> None:
        self.w = dict(w)
        self.coupled = coupled
        self.first = {name: np.zeros(x.shape) for name, x in w.items()}
        self.second = {name: np.zeros(x.shape) for name, x in w.items()}
        self.t = 0
        decays = {
            "all": lambda name: True,
            "none": lambda name: False,
            "biases": lambda name: not name.endswith("bias"),
        }.get(decay, lambda name: w[name].ndim >= 2)
        self.decay = {name: weight_decay * decays(name) for name in w}

    def step(self, gradients: Weights, lr: float) -> None:
        """One update of every weight."""
        self.t += 1
        for name, x in self.w.items():
            g = gradients[name] + self.coupled * self.decay[name] * x
            self.first[name] = 0.9 * self.first[name] + 0.1 * g
            self.second[name] = 0.999 * self.second[name] + 0.001 * g**2
            mean, square = self.first[name] / (1 - 0.9**self.t), self.second[name] / (1 - 0.999**self.t)
            kept = x * (1 - lr * self.decay[name] * (not self.coupled))
            self.w[name] = kept - lr * mean / (np.sqrt(square) + 1e-8)
