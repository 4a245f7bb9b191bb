"""Memory and latency of a model, measured."""

import statistics
import time
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

ROUNDS = 15


def _batch(shape: tuple[int, int], vocab_size: int, device: str) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(5, vocab_size, shape, generator=generator)
    places = torch.nonzero(torch.rand(shape, generator=generator).flatten() < 0.15).flatten()
    return ids.to(device), torch.zeros_like(ids).to(device), places.to(device)


def _loss(model: Any, shape: tuple[int, int], vocab_size: int, device: str) -> Tensor:
    """A training loss on made-up words: masked tokens and the sentence task."""
    ids, segments, places = _batch(shape, vocab_size, device)
    sequence_output, pooled = model(ids, segments, None)
    mlm = cross_entropy(model.mlm_logits(sequence_output, places).float(), ids.flatten()[places])
    labels = torch.arange(shape[0], device=device) % 2
    return mlm + cross_entropy(model.sentence_logits(pooled).float(), labels)


def activation_bytes(model: nn.Module, shape: tuple[int, int], vocab_size: int, device: str) -> int:
    """What autograd keeps of one forward pass for the backward pass: each storage once, weights not counted."""
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept: dict[int, tuple[int, Tensor]] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = (storage.nbytes(), tensor)  # the tensor keeps its address from reuse
        return tensor

    model.train()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = _loss(model, shape, vocab_size, device)
    total = sum(size for size, _ in kept.values())
    del loss
    return total


def peak_step_bytes(model: nn.Module, shape: tuple[int, int], vocab_size: int, device: str) -> int | None:
    """The most memory that a training step holds on a GPU; None on a CPU, which does not keep the count."""
    if not device.startswith("cuda"):
        return None
    optimizer = torch.optim.AdamW(model.parameters())
    torch.cuda.reset_peak_memory_stats()
    for _ in range(2):
        optimizer.zero_grad(set_to_none=True)
        _loss(model, shape, vocab_size, device).backward()
        optimizer.step()
    return torch.cuda.max_memory_allocated()


def latency_seconds(
    models: dict[str, nn.Module], tokens: int, vocab_size: int, device: str, rounds: int = ROUNDS
) -> dict[str, float]:
    """Median seconds of one sequence through each model, interleaved; one thread on a CPU."""
    gpu = device.startswith("cuda")
    ids, segments, _ = _batch((1, tokens), vocab_size, device)
    clock = time.perf_counter if gpu else time.process_time
    taken: dict[str, list[float]] = {name: [] for name in models}
    threads = torch.get_num_threads()
    if not gpu:
        torch.set_num_threads(1)
    try:
        with torch.no_grad():
            for k in range(rounds + 2):
                for name, model in models.items():
                    model.eval()
                    if gpu:
                        torch.cuda.synchronize()
                    start = clock()
                    model(ids, segments, None)
                    if gpu:
                        torch.cuda.synchronize()
                    if k > 1:
                        taken[name].append(clock() - start)
    finally:
        torch.set_num_threads(threads)
    return {name: statistics.median(values) for name, values in taken.items()}
