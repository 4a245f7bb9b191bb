"""The files of a checkpoint's folder: finding it, fetching it on request, and reading the tensors."""

import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

INSTALL = 'pip install -e ".[huggingface,tokenizers]"'
SAFE, PICKLED = "model.safetensors", "pytorch_model.bin"
CONFIG_FILES = ("config.json",)
ALL_FILES = (
    *CONFIG_FILES,
    "model*.safetensors",
    "model.safetensors.index.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "spiece.model",
)
Warn = Callable[[str], None]


def needs(package: str, what: str) -> ValueError:
    """The error for a package of an extra that is not installed."""
    return ValueError(f"{what} needs the package {package}, which is not installed: {INSTALL}")


def fetch(name: str, files: tuple[str, ...]) -> Path:
    """The folder of a checkpoint from the hub, downloaded or from its cache. The one place that uses the network.

    Raises:
        ValueError: huggingface_hub is not installed, there is no network, or no such checkpoint.
    """
    try:
        import huggingface_hub
    except ModuleNotFoundError as error:
        raise needs("huggingface_hub", "--hub") from error
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=list(files)))
    except Exception as error:  # its errors have no class in common: names, network, rights, disk
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(
            f"--hub {name}: could not be fetched ({lines[0]}). Without a network, copy the folder from "
            "elsewhere and give its path"
        ) from error


def existing_folder(path: Path) -> Path:
    """`path`, if it is a folder; else ValueError."""
    if not path.is_dir():
        what = "a file" if path.exists() else "nothing"
        raise ValueError(f"{path}: got {what}, expected the folder of a checkpoint")
    return path


def read_weights(folder: Path, warn: Warn) -> dict[str, Tensor]:
    """All tensors of the checkpoint by name, on the CPU, in the dtype of the file.

    Safetensors are preferred. A pickled file is opened with `weights_only=True`, and `warn` is told. Weights
    in several parts are put together by their index.

    Raises:
        ValueError: no weights, a damaged file, a part that is missing, or safetensors is not installed.
    """
    for kind in (SAFE, PICKLED):
        for path in (folder / kind, folder / f"{kind}.index.json"):
            if not path.is_file():
                continue
            if kind == PICKLED:
                warn(
                    f"{path.name} is a pickle, which can carry code; it is opened for tensors only. "
                    f"Where you can choose, take {SAFE}"
                )
            parts = [path] if path.name == kind else _parts(path)
            return {name: tensor for part in parts for name, tensor in _read(part).items()}
    raise ValueError(f"{folder}: got no weights, expected {SAFE} or {PICKLED}, whole or with its index")


def _parts(index: Path) -> list[Path]:
    """The files that an index names, each once; they lie beside it."""
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
        outside = [name for name in names if Path(name).name != name]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{index} is damaged: expected a JSON object with a weight_map") from error
    if outside:
        raise ValueError(f"{index}: got {outside[0]!r}, expected files beside the index")
    return [index.with_name(name) for name in names]


def _read(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise ValueError(f"{path} is missing")
    with path.open("rb") as file:
        if file.read(40).startswith(b"version https://git-lfs"):
            raise ValueError(f"{path} is a Git LFS pointer, not the weights: run `git lfs pull` there")
    return _read_safe(path) if path.suffix == ".safetensors" else _read_pickled(path)


def _read_safe(path: Path) -> dict[str, Tensor]:
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    except ModuleNotFoundError as error:
        raise needs("safetensors", path.name) from error
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _read_pickled(path: Path) -> dict[str, Tensor]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of the pickle's protocol
            state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise ValueError(f"{path} is damaged, or holds more than tensors; it was not opened") from error
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        raise ValueError(f"{path}: got {type(state).__name__}, expected tensors by name")
    return dict(state)
