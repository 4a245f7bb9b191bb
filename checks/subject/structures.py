"""Modules that the host describes: a tree of parameters and buffers, with ties, built without judged code."""

import importlib
from typing import TYPE_CHECKING, Any

from checks.subject.values import Ref

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime


def structure(run: "Runtime", entries: list) -> Ref:
    """A module with the tensors that `entries` list, in order.

    An entry is [dotted name, kind, what]: "parameter", "frozen" (no gradient), "half" (a parameter in float16),
    "meta" (a parameter on the meta device, which has a shape and no memory) or "buffer" of a shape; "tie":
    the same tensor or module as stands under the name `what`.
    """
    torch = importlib.import_module("torch")
    root = torch.nn.Module()
    for name, kind, what in entries:
        owner, last = _owner(torch, root, name)
        if kind == "tie":
            setattr(owner, last, _reached(root, what))
        elif kind == "buffer":
            owner.register_buffer(last, torch.zeros(what))
        else:
            dtype = torch.float16 if kind == "half" else torch.float32
            values = torch.zeros(what, dtype=dtype, device="meta" if kind == "meta" else "cpu")
            setattr(owner, last, torch.nn.Parameter(values, requires_grad=kind != "frozen"))
    return run.keep(root)


def _owner(torch: Any, root: Any, name: str) -> tuple[Any, str]:
    *path, last = name.split(".")
    for part in path:
        if part not in root._modules:
            root.add_module(part, torch.nn.Module())
        root = root._modules[part]
    return root, last


def _reached(root: Any, name: str) -> Any:
    for part in name.split("."):
        root = getattr(root, part)
    return root


OPERATIONS = {"structure": structure}
