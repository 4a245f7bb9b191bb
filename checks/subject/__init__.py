"""The subject boundary: the only way from a check to the code it judges.

Values cross it, objects do not. `Subject` is the host's side (NumPy, never torch); `runtime` works next to
the judged code; `values` defines the one normal form in which everything crosses.
"""

from checks.subject.errors import Broken, Hang, Raised, ToDo
from checks.subject.handles import DatasetHandle, Gradients, Handle, ModuleHandle
from checks.subject.subject import Subject
from checks.subject.values import Ref, Seed, TorchSeed

__all__ = [
    "Broken",
    "DatasetHandle",
    "Gradients",
    "Handle",
    "Hang",
    "ModuleHandle",
    "Raised",
    "Ref",
    "Seed",
    "Subject",
    "ToDo",
    "TorchSeed",
]
