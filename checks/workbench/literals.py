"""Values in normal form as Python source."""

import base64
import zlib
from typing import Any

import numpy as np

from checks.subject import Ref, Seed, TorchSeed
from checks.subject.values import RECORDS, fields_of

MOST_WRITTEN_OUT = 400

UNPACK = '''
def unpacked(text, dtype, shape):
    """An array too long to be written out."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype).reshape(shape).copy()
'''


class Literals:
    """Writes values down; `framework` says what arrays become ("numpy", "torch", or "plain": as they cross the
    boundary). `names` holds the variables of kept things; `records` and `packs` collect what the script needs."""

    def __init__(self, framework: str, names: dict[int, str]) -> None:
        self.framework = framework
        self.names = names
        self.records: set[str] = set()
        self.packs = False

    def text(self, value: Any, framework: str | None = None) -> str:
        """An expression that makes the value."""
        framework = framework or self.framework
        if isinstance(value, np.ndarray):
            return self._array(value, framework)
        if isinstance(value, Ref):
            return self.names[value.number]
        if isinstance(value, Seed | TorchSeed):
            return self._generator(value, framework)
        name = type(value).__name__
        if RECORDS.get(name) is type(value):
            return self._record(name, value, framework)
        if isinstance(value, list | tuple):
            inner = ", ".join(self.text(entry, framework) for entry in value)
            return f"[{inner}]"
        if isinstance(value, dict):
            pairs = (f"{key!r}: {self.text(entry, framework)}" for key, entry in value.items())
            return "{" + ", ".join(pairs) + "}"
        return repr(value)

    def _generator(self, value: Seed | TorchSeed, framework: str) -> str:
        if framework == "plain":
            return repr(value)
        if isinstance(value, Seed):
            return f"np.random.default_rng({value.value})"
        return f"torch.Generator().manual_seed({value.value})"

    def _record(self, name: str, value: Any, framework: str) -> str:
        self.records.add(name)
        inner = "numpy" if name == "Example" and framework == "torch" else framework
        fields = [f"{key}={self.text(entry, inner)}" for key, entry in fields_of(value).items()]
        if name == "Vocab" and framework != "plain":
            fields[0] = f"tokens=tuple({self.text(value.tokens)})"
        return f"{name}({', '.join(fields)})"

    def _array(self, array: np.ndarray, framework: str) -> str:
        dtype = array.dtype.name
        if array.size > MOST_WRITTEN_OUT:
            self.packs = True
            packed = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes())).decode()
            made = f'unpacked("{packed}", "{dtype}", {array.shape})'
            return f"torch.from_numpy({made})" if framework == "torch" else made
        rows = f"{array.tolist()!r}" if array.size else "[]"
        shape = "" if array.size else f".reshape({array.shape})"
        if framework == "torch":
            return f"torch.tensor({rows}, dtype=torch.{dtype}){shape}"
        return f'np.array({rows}, dtype="{dtype}"){shape}'
