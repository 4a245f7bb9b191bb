"""Right variants of lesson 13."""
# ruff: noqa: E501

from checks.gate.edits import Edit, Variant

_BY_HAND = """
def pretraining_loss(model: nn.Module, batch: Batch) -> PretrainingLoss:
    sequence, pooled = model(
        input_ids=batch.input_ids, segment_ids=batch.segment_ids, attention_mask=batch.attention_mask
    )
    rows, columns = torch.where(batch.mlm_labels != IGNORE_INDEX)
    logits = model.mlm_logits(sequence, positions=rows * batch.input_ids.shape[1] + columns)
    picked = logits.log_softmax(-1)[torch.arange(len(rows)), batch.mlm_labels[rows, columns]]
    mlm = -picked.mean() if len(rows) else 0.0 * logits.sum()
    pairs = model.sentence_logits(pooled)
    if batch.sentence_labels is None:
        sentence = 0.0 * pairs.sum()
    else:
        sentence = nn.functional.cross_entropy(pairs, batch.sentence_labels)
    return PretrainingLoss(mlm=mlm, sentence=sentence, total=sentence + mlm)
"""
_ONE_AT_A_TIME = """
def pretraining_loss(model: nn.Module, batch: Batch) -> PretrainingLoss:
    width = batch.input_ids.shape[1]
    places = [(b, t) for b, row in enumerate(batch.mlm_labels.tolist()) for t, label in enumerate(row) if label != -100]
    places.reverse()
    sequence, pooled = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
    logits = model.mlm_logits(sequence, torch.tensor([b * width + t for b, t in places], dtype=torch.int64))
    mlm = logits.sum() * 0
    for row, (b, t) in zip(logits, places, strict=True):
        mlm = mlm + (torch.logsumexp(row, 0) - row[batch.mlm_labels[b, t]]) / len(places)
    pairs = model.sentence_logits(pooled)
    sentence = pairs.sum() * 0
    if batch.sentence_labels is not None:
        for row, label in zip(pairs, batch.sentence_labels, strict=True):
            sentence = sentence + (torch.logsumexp(row, 0) - row[label]) / len(pairs)
    return PretrainingLoss(mlm + sentence, mlm, sentence)
"""
_CONSTANT_ZEROS = """
def pretraining_loss(model: nn.Module, batch: Batch) -> PretrainingLoss:
    mlm_logits, labels, sentence_logits = labelled_logits(model, batch)
    zero = torch.zeros((), dtype=mlm_logits.dtype, device=mlm_logits.device, requires_grad=True) * 1.0
    mlm = nn.functional.cross_entropy(mlm_logits, labels) if labels.numel() else zero
    sentence = zero
    if batch.sentence_labels is not None:
        sentence = nn.functional.cross_entropy(sentence_logits, batch.sentence_labels)
    return PretrainingLoss(mlm + sentence, mlm, sentence)
"""
_CHOSEN_FIRST = """
def labelled_logits(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    chosen = batch.mlm_labels.ne(IGNORE_INDEX)
    sequence_output, pooled_output = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
    return model.mlm_logits(sequence_output[chosen]), batch.mlm_labels[chosen], model.sentence_logits(pooled_output)
"""
_COUNTING = """
def mlm_accuracy(logits: Tensor, labels: Tensor) -> float:
    flat, wanted = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1).tolist()
    places = [i for i, label in enumerate(wanted) if label != IGNORE_INDEX]
    hits = sum(int(flat[i].argmax()) == wanted[i] for i in places)
    return hits / len(places) if places else 0.0
"""
_CHOSEN_ACCURACY = """
def mlm_accuracy(logits: Tensor, labels: Tensor) -> float:
    chosen = labels != IGNORE_INDEX
    right = logits[chosen].max(-1).indices.eq(labels[chosen])
    return float(right.float().mean()) if right.numel() else 0.0
"""
_DIFFERENCE = """
def sentence_accuracy(logits: Tensor, labels: Tensor | None) -> float:
    if labels is None or len(labels) == 0:
        return 0.0
    return (logits.diff(dim=-1).squeeze(-1) > 0).long().eq(labels).float().mean().item()
"""
_LOOP_PAIRS = """
def sentence_accuracy(logits: Tensor, labels: Tensor | None) -> float:
    told = [int(row[label] > row[1 - label]) for row, label in zip(logits, [] if labels is None else labels)]
    return sum(told) / len(told) if told else 0.0
"""
_TWO_PASSES = """
def evaluate(model: nn.Module, dataloader: Iterable[Batch]) -> Evaluation:
    device = next(model.parameters()).device
    modes = {module: module.training for module in model.modules()}
    kept = torch.get_rng_state(), np.random.get_state(), random.getstate()
    own = getattr(dataloader, "generator", None)
    own_state = None if own is None else own.get_state()
    model.eval()
    words, word_labels, pairs, pair_labels = [], [], [], []
    with torch.inference_mode():
        for batch in dataloader:
            batch = batch.to(device)
            sequence, pooled = model(batch.input_ids, batch.segment_ids, batch.attention_mask)
            chosen = (batch.mlm_labels.flatten() != IGNORE_INDEX).nonzero().flatten()
            words.append(model.mlm_logits(sequence, chosen))
            word_labels.append(batch.mlm_labels.flatten()[chosen])
            if batch.sentence_labels is not None:
                pairs.append(model.sentence_logits(pooled))
                pair_labels.append(batch.sentence_labels)
    figures = []
    for logits, labels in ((words, word_labels), (pairs, pair_labels)):
        if sum(len(some) for some in labels):
            loss = nn.functional.cross_entropy(torch.cat(logits), torch.cat(labels)).item()
            figures.append((loss, mlm_accuracy(torch.cat(logits), torch.cat(labels))))
        else:
            figures.append((0.0, 0.0))
    for module, mode in modes.items():
        module.training = mode
    torch.set_rng_state(kept[0])
    np.random.set_state(kept[1])
    random.setstate(kept[2])
    if own is not None:
        own.set_state(own_state)
    (mlm, right), (sentence, ordered) = figures
    return Evaluation(mlm, sentence, mlm + sentence, right, ordered)
"""
_BY_LOSS = """
def evaluate(model: nn.Module, dataloader: Iterable[Batch]) -> Evaluation:
    device = next(model.parameters()).device
    mlm = sentence = right = ordered = 0.0
    tokens = pairs = 0
    with left_as_found(model, dataloader, device), torch.no_grad():
        model.eval()
        for batch in dataloader:
            loss = pretraining_loss(model, batch)
            logits, labels, sentence_logits = labelled_logits(model, batch)
            mlm += float(loss.mlm) * len(labels)
            right += mlm_accuracy(logits, labels) * len(labels)
            tokens += len(labels)
            if batch.sentence_labels is not None:
                sentence += float(loss.sentence) * len(sentence_logits)
                ordered += sentence_accuracy(sentence_logits, batch.sentence_labels) * len(sentence_logits)
                pairs += len(sentence_logits)
    mlm, right = (mlm / tokens, right / tokens) if tokens else (0.0, 0.0)
    sentence, ordered = (sentence / pairs, ordered / pairs) if pairs else (0.0, 0.0)
    return Evaluation(mlm, sentence, mlm + sentence, right, ordered)
"""
_ON_A_COPY = """
def evaluate(model: nn.Module, dataloader: Iterable[Batch]) -> Evaluation:
    import copy

    twin = copy.deepcopy(model).eval()
    sums, counts = torch.zeros(4), torch.zeros(4)
    with left_as_found(model, dataloader, next(model.parameters()).device), torch.no_grad():
        for batch in dataloader:
            logits, labels, pairs = labelled_logits(twin, batch)
            n, m = len(labels), 0 if batch.sentence_labels is None else len(pairs)
            found = [mean_cross_entropy(logits, labels), mean_cross_entropy(pairs, batch.sentence_labels),
                     mlm_accuracy(logits, labels), sentence_accuracy(pairs, batch.sentence_labels)]
            weight = torch.tensor([n, m, n, m])
            sums += weight * torch.tensor([float(x) for x in found])
            counts += weight
    mlm, sentence, right, ordered = (sums / counts.clamp(min=1)).tolist()
    return Evaluation(mlm, sentence, mlm + sentence, right, ordered)
"""


def _variant(exercise: str, id: str, says: str, source: str, name: str = "") -> Variant:
    return Variant(f"{exercise}_{id}", exercise, Edit(functions={name or exercise: source}), says)


VARIANTS = (
    _variant("pretraining_loss", "by_hand", "log-softmax and picked entries, arguments by name, row * T + column", _BY_HAND),
    _variant("pretraining_loss", "one_at_a_time", "a loop over places, in falling order, with logsumexp", _ONE_AT_A_TIME),
    _variant("pretraining_loss", "constant_zeros", "a zero of its own where nothing is labelled", _CONSTANT_ZEROS),
    _variant("pretraining_loss", "chosen_first", "the labelled rows are taken before the head is asked", _CHOSEN_FIRST, "labelled_logits"),
    Variant(
        "pretraining_loss_float64", "pretraining_loss",
        Edit(swap=(("logits = logits.to(torch.promote_types(logits.dtype, torch.float32))", "logits = logits.double()"),)),
        "the loss is computed in float64",
    ),
    _variant("mlm_accuracy", "counting", "counted in Python", _COUNTING),
    _variant("mlm_accuracy", "chosen", "labelled places are taken first, and the share kept in float32", _CHOSEN_ACCURACY),
    _variant("sentence_accuracy", "difference", "the sign of the difference of the logits", _DIFFERENCE),
    _variant("sentence_accuracy", "loop", "one pair at a time", _LOOP_PAIRS),
    _variant("evaluate", "all_logits_first", "all logits are kept, then scored at once, in inference mode", _TWO_PASSES),
    _variant("evaluate", "by_pretraining_loss", "a pass for the losses and one for the accuracies", _BY_LOSS),
    _variant("evaluate", "on_a_copy", "a copy of the model is evaluated, and sums are kept in float32", _ON_A_COPY),
)  # fmt: skip
