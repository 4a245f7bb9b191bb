"""Right variants of lesson 14."""
# ruff: noqa: E501

from checks.gate.edits import Edit, Variant

_BY_NAME = """
def parameter_groups(model: nn.Module, weight_decay: float = 0.01) -> list[dict[str, Any]]:
    decayed, rest = [], []
    for name, parameter in model.named_parameters():
        (rest if name.endswith("bias") or "norm" in name else decayed).append(parameter)
    return [dict(params=decayed, weight_decay=weight_decay), dict(params=rest, weight_decay=0.0)]
"""
_BY_MODULE = """
def parameter_groups(model: nn.Module, weight_decay: float = 0.01) -> list[dict[str, Any]]:
    seen, decayed, rest = set(), [], []
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter not in seen:
                seen.add(parameter)
                kept = isinstance(module, nn.LayerNorm) or name == "bias"
                (rest if kept else decayed).insert(0, parameter)
    return [{"weight_decay": weight_decay, "params": decayed}, {"weight_decay": 0.0, "params": rest}]
"""
_TUPLES = """
def parameter_groups(model: nn.Module, weight_decay: float = 0.01) -> list[dict[str, Any]]:
    unique = {id(p): p for _, p in model.named_parameters(remove_duplicate=False)}.values()
    return [
        {"params": tuple(p for p in unique if len(p.shape) > 1), "weight_decay": weight_decay},
        {"params": tuple(p for p in unique if len(p.shape) <= 1), "weight_decay": 0},
    ]
"""
_LEAST = """
def learning_rate(step: int, peak: float, warmup_steps: int, total_steps: int) -> float:
    if step < 0 or warmup_steps < 0 or warmup_steps > total_steps:
        raise ValueError(f"got step {step} and {warmup_steps} of {total_steps} steps of warm-up")
    rise = (step + 1) / warmup_steps if warmup_steps else float("inf")
    fall = (total_steps - step) / max(1, total_steps - warmup_steps) if step >= warmup_steps else 1.0
    return peak * max(0.0, min(rise, fall, 1.0))
"""
_MIXED = """
def learning_rate(step: int, peak: float, warmup_steps: int, total_steps: int) -> float:
    if step not in range(0, 10**9) or warmup_steps not in range(0, total_steps + 1):
        raise ValueError("got steps out of range, expected 0 <= step and 0 <= warmup_steps <= total_steps")
    if step >= total_steps:
        return 0.0
    if step >= warmup_steps:
        return peak - peak * (step - warmup_steps) / (total_steps - warmup_steps)
    return (step + 1) * (peak / warmup_steps)
"""
_BY_HAND = """
def train_step(
    model: nn.Module, batch: Batch, optimizer: torch.optim.Optimizer, max_norm: float = 1.0
) -> PretrainingLoss:
    for parameter in model.parameters():
        parameter.grad = None
    total, mlm, sentence = pretraining_loss(model, batch)
    total.backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    if norm > max_norm:
        for gradient in gradients:
            gradient.mul_(max_norm / norm)
    optimizer.step()
    return PretrainingLoss(total.detach().clone(), mlm.detach().clone(), sentence.detach().clone())
"""
_AUTOGRAD = """
def train_step(
    model: nn.Module, batch: Batch, optimizer: torch.optim.Optimizer, max_norm: float = 1.0
) -> PretrainingLoss:
    for parameter in model.parameters():
        parameter.grad = None
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    loss = pretraining_loss(model, batch)
    gradients = torch.autograd.grad(loss.total, parameters, allow_unused=True)
    with torch.no_grad():
        square = sum((g**2).sum() for g in gradients if g is not None)
        share = torch.clamp(max_norm / square.sqrt(), max=1.0)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = None if gradient is None else gradient * share
    optimizer.step()
    return PretrainingLoss(*[part.detach() for part in loss])
"""
_ZEROED_AFTER = """
def train_step(
    model: nn.Module, batch: Batch, optimizer: torch.optim.Optimizer, max_norm: float = 1.0
) -> PretrainingLoss:
    loss = pretraining_loss(model, batch)
    model.zero_grad(set_to_none=False)
    loss.total.backward()
    nn.utils.clip_grad_norm_(list(model.parameters()), max_norm, foreach=False)
    optimizer.step()
    model.zero_grad()
    return PretrainingLoss(loss.total.detach(), loss.mlm.detach(), loss.sentence.detach())
"""
_LAMBDA = """
def train_model(
    model: nn.Module,
    dataloader: Collection[Batch],
    epochs: int,
    *,
    lr: float = 5e-4,
    weight_decay: float = 0.01,
    warmup: float = 0.1,
    max_norm: float = 1.0,
    device: torch.device | str | None = None,
) -> History:
    if device is not None:
        model.to(device)
    where = next(model.parameters()).device
    optimizer = torch.optim.AdamW(parameter_groups(model, weight_decay), lr=lr, foreach=False)
    total = epochs * len(dataloader)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate(step, 1.0, int(warmup * total), total)
    )
    model.train()
    history = History([], [], [])
    for epoch in range(epochs):
        dataset = getattr(dataloader, "dataset", None)
        if callable(getattr(dataset, "set_epoch", None)):
            dataset.set_epoch(epoch)
        words = pairs = 0
        word_sum = pair_sum = 0.0
        for batch in dataloader:
            batch = batch.to(where)
            loss = train_step(model, batch, optimizer, max_norm=max_norm)
            scheduler.step()
            n = int((batch.mlm_labels != IGNORE_INDEX).sum())
            words, word_sum = words + n, word_sum + n * loss.mlm.item()
            if batch.sentence_labels is not None:
                n = len(batch.sentence_labels)
                pairs, pair_sum = pairs + n, pair_sum + n * loss.sentence.item()
        history.mlm_loss.append(word_sum / words if words else 0.0)
        history.sentence_loss.append(pair_sum / pairs if pairs else 0.0)
        history.total_loss.append(history.mlm_loss[-1] + history.sentence_loss[-1])
    return history
"""
_OWN_ADAMW = """
def train_model(
    model: nn.Module,
    dataloader: Collection[Batch],
    epochs: int,
    *,
    lr: float = 5e-4,
    weight_decay: float = 0.01,
    warmup: float = 0.1,
    max_norm: float = 1.0,
    device: torch.device | str | None = None,
) -> History:
    model = model.to(device or next(model.parameters()).device)
    optimizer = torch.optim.AdamW(parameter_groups(model, weight_decay))
    steps, step = len(dataloader) * epochs, 0
    rates = [learning_rate(i, lr, int(steps * warmup), steps) for i in range(steps)]
    columns: tuple[list[float], list[float]] = ([], [])
    for epoch in range(epochs):
        try:
            dataloader.dataset.set_epoch(epoch)
        except AttributeError:
            pass
        model.train()
        seen = torch.zeros(2, 2)
        for batch in dataloader:
            for group in optimizer.param_groups:
                group["lr"] = rates[step]
            step += 1
            loss = train_step(model, batch.to(next(model.parameters()).device), optimizer, max_norm)
            tokens = (batch.mlm_labels >= 0).sum()
            pairs = torch.tensor(0 if batch.sentence_labels is None else len(batch.input_ids))
            counts = torch.stack([tokens, pairs]).float()
            seen += torch.stack([counts * torch.stack([loss.mlm, loss.sentence]).float(), counts])
        for column, value, n in zip(columns, *seen.tolist(), strict=True):
            column.append(value / n if n else 0.0)
    return History(*columns, [a + b for a, b in zip(*columns, strict=True)])
"""


def _variant(exercise: str, id: str, says: str, source: str) -> Variant:
    return Variant(f"{exercise}_{id}", exercise, Edit(functions={exercise: source}), says)


VARIANTS = (
    _variant("parameter_groups", "by_name", "told apart by name: biases and norms do not decay", _BY_NAME),
    _variant("parameter_groups", "by_module", "told apart by class, in another order", _BY_MODULE),
    _variant("parameter_groups", "tuples", "tuples, and repeated names removed by identity", _TUPLES),
    _variant("learning_rate", "least", "the least of rise, fall and 1", _LEAST),
    _variant("learning_rate", "mixed", "the end first, and the fall as a difference from the peak", _MIXED),
    _variant("train_step", "by_hand", "clipped by hand, without the 1e-6 of torch", _BY_HAND),
    _variant("train_step", "autograd", "gradients from autograd.grad, put in place once clipped", _AUTOGRAD),
    _variant("train_step", "zeroed_after", "old gradients set to 0 after the forward, and dropped at the end", _ZEROED_AFTER),
    _variant("train_model", "scheduler", "the schedule as torch's LambdaLR, sums kept in Python", _LAMBDA),
    _variant("train_model", "rates_first", "all rates laid out first, the mode set each epoch, sums in float32", _OWN_ADAMW),
)  # fmt: skip
