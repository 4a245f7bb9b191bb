"""Attacks on a lesson with torch: liars about themselves, patched torch, lazy stubs."""

from checks.project.attacks import Attack

PATCHED = """
import torch
torch.Tensor.__eq__ = lambda self, other: True
torch.equal = torch.allclose = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
torch.nn.Module.state_dict = lambda self, *a, **k: {}
def merge_heads(x):
    return x
"""
LAZY = """
import torch
def merge_heads(x):
    return x.new_zeros(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
"""
LIAR = """
import torch
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True
def merge_heads(x):
    return x.as_subclass(Liar)
"""
NAMES = """
_honest = MultiHeadAttention
class MultiHeadAttention(_honest):
    def __init__(self, config):
        super().__init__(config)
        self.spare = torch.nn.Linear(3, 3)
    def named_parameters(self, *a, **k):
        return [(n, p) for n, p in super().named_parameters(*a, **k) if "spare" not in n]
    def parameters(self, recurse=True):
        return (p for n, p in self.named_parameters())
    def state_dict(self, *a, **k):
        return {n: t for n, t in super().state_dict(*a, **k).items() if "spare" not in n}
"""
HIDES = """
import sys
from checks.subject import functions
table = sys.modules["checks.subject.runtime"]._table
before = {}
def put(run, value):
    ref = functions.put(run, value)
    before[ref.number] = value
    return ref
table["put"], table["get"] = put, lambda run, ref: before[ref.number]
def merge_heads(x):
    x.zero_()
    return x.transpose(1, 2).flatten(2)
"""

ATTACKS = [
    Attack("patches torch", "at import", "verdict", PATCHED, "attention"),
    Attack("returns zeros of the right shape", "in a returned value", "verdict", LAZY, "attention"),
    Attack("returns a tensor that answers for itself", "in a returned value", "verdict", LIAR, "attention"),
    Attack("lies in named_parameters", "in a call", "verdict", NAMES, "attention"),
    Attack("hides that it changed its input", "in a call", "verdict", HIDES, "attention"),
]
