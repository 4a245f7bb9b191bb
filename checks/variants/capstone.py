"""Right variants of lesson 15."""

# ruff: noqa: E501  (one entry a line: a bank is read as a table)

from checks.gate.edits import Edit, Variant

_CONFIGURATIONS = """
def configurations(preset, vocab_size):
    if preset in ("quick", "cpu"):
        sizes = dict(n_layers=2, dropout=0.0, activation="gelu_tanh", init_std=0.055 if preset == "quick" else 0.0875)
        narrow = 64
    elif preset == "classic":
        sizes = dict()
        narrow = 64
    elif preset == "gpu":
        sizes = dict(n_layers=12, d_model=512, n_heads=8, max_len=128, dropout=0.0, activation="gelu_tanh", init_std=0.03)
        narrow = 128
    else:
        raise ValueError(f"got {preset}, expected quick, classic, cpu or gpu")
    return {
        "BERT": ModelConfig(vocab_size=vocab_size, **sizes),
        "ALBERT": ModelConfig(vocab_size=vocab_size, d_embedding=narrow, sharing="all", **sizes),
    }
"""
_CONFIGURATIONS_ROWS = """
def configurations(preset, vocab_size):
    rows = (
        ("quick", 2, 128, 4, 64, 64, 0.0, "gelu_tanh", 0.055),
        ("classic", 4, 128, 4, 64, 64, 0.1, "gelu", 0.02),
        ("cpu", 2, 128, 4, 64, 64, 0.0, "gelu_tanh", 0.0875),
        ("gpu", 12, 512, 8, 128, 128, 0.0, "gelu_tanh", 0.03),
    )
    for name, layers, d_model, heads, width, max_len, dropout, activation, init_std in rows:
        if name == preset:
            made = {}
            for kind, e, sharing in (("BERT", d_model, "none"), ("ALBERT", width, "all")):
                made[kind] = ModelConfig(
                    vocab_size=vocab_size, n_layers=layers, d_model=d_model, d_embedding=e, n_heads=heads, d_ff=4 * d_model,
                    max_len=max_len, dropout=dropout, activation=activation, init_std=init_std, sharing=sharing,
                )
            return made
    raise ValueError("unknown preset; there are " + ", ".join(row[0] for row in rows))
"""
_COMPARE_STATE = """
def compare(configs, train_documents, held_out_documents, *, steps, batch_size, lr, max_len, seed, device="cpu"):
    runs = {}
    for name in configs:
        plan = engine.Plan(steps=steps, batch_size=batch_size, lr=lr, max_len=max_len, seed=seed, device=device)
        held_out = engine.held_out_set(held_out_documents, max_len, seed)
        before = torch.get_rng_state()
        try:
            torch.manual_seed(seed)
            if name[:6] == "ALBERT":
                model, task = ALBERTModel(configs[name]), "sop"
                dataset = ALBERTDataset(train_documents, configs[name].vocab_size, max_len, seed)
            else:
                model, task = BERTModel(configs[name]), "nsp"
                dataset = BERTDataset(train_documents, configs[name].vocab_size, max_len, seed, same_place=True)
            runs[name] = engine.train(
                model, dataset, held_out, plan, PIECES, name=name, task=task,
                training_data=engine.fingerprint(train_documents),
                parameters=parameter_table(configs[name], task == "sop"),
            )
        finally:
            torch.set_rng_state(before)
    return runs
"""
_TABLE = """
def summary_table(runs):
    heading = ["model", "total", "embedding", "encoder", "heads", "MLM loss", "total loss", "MLM acc", "sentence acc", "tokens/s", "seconds"]
    rows = [heading, ["---"] * len(heading)]
    for run in runs.values():
        p, e = run.parameters, run.evaluations[-1]
        embedding = p["word"] + p["position"] + p["segment"] + p["embedding_norm"] + p["projection"]
        heads = p["pooler"] + p["mlm_head"] + p["sentence_head"]
        rows.append(
            [run.name, f"{p['total']:,d}", format(embedding, ","), format(p["encoder"], ","), format(heads, ",")]
            + ["%.3f" % x for x in (e.mlm_loss, e.total_loss, e.mlm_accuracy, e.sentence_accuracy)]
            + [format(round(run.tokens_per_second), ","), "%.1f" % run.seconds]
        )
    width = [max(len(row[c]) for row in rows) for c in range(len(heading))]
    return "".join("| " + " | ".join(cell.rjust(w) for cell, w in zip(row, width)) + " |\\n" for row in rows)
"""
_TABLE_ALIGNED = ('"|" + "---|" * 11', '"|:---|" + "---:|" * 10')
_PYPLOT = """
def plot_losses(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5))
    for name, run in runs.items():
        for axis, kind in ((left, "mlm_loss"), (right, "total_loss")):
            (line,) = axis.plot(run.steps, getattr(run.history, kind), marker="o", label=name + " (training)")
            scored = [getattr(entry, kind) for entry in run.evaluations]
            axis.plot(run.steps, scored, linestyle="dashed", color=line.get_color(), label=name + " (held out)")
        left.axhline(math.log(run.config.vocab_size), linestyle=":", color="black")
        for nats in run.settings.get("lines", {}).values():
            left.axhline(nats, linestyle=":", color="grey")
    for axis, title in ((left, "masked tokens"), (right, "total")):
        axis.set_title(title)
        axis.set_xlabel("training step")
        axis.set_ylabel("nats")
        axis.grid(True)
        axis.legend(fontsize=7)
    figure.tight_layout()
    with open(path, "wb") as file:
        figure.savefig(file)
    plt.close(figure)
"""
_HANDLES = """
def plot_losses(runs, path):
    from matplotlib.lines import Line2D

    figure = Figure(figsize=(9, 4))
    for place, (title, column) in enumerate((("MLM loss", 0), ("total loss", 2)), 1):
        panel = figure.add_subplot(1, 2, place)
        handles = []
        for k, (name, run) in enumerate(runs.items()):
            colour = f"C{k + 2}"
            panel.plot(run.steps, run.history[column], color=colour)
            panel.plot(run.steps, [evaluation[column] for evaluation in run.evaluations], color=colour, dashes=(4, 2))
            handles.append(Line2D([], [], color=colour, label=name))
        handles += [Line2D([], [], color="k", label="training"), Line2D([], [], color="k", dashes=(4, 2), label="held-out")]
        if place == 1:
            lines = {"ln V": math.log(max(run.config.vocab_size for run in runs.values()))}
            for run in runs.values():
                lines.update(run.settings.get("lines") or {})
            for name, nats in lines.items():
                panel.plot([0, 1], [nats, nats], color="0.7", transform=panel.get_yaxis_transform())
                panel.text(0, nats, name, transform=panel.get_yaxis_transform(), fontsize=6)
        panel.set_title(title)
        panel.set_xlabel("step")
        panel.set_ylabel(title + " / nats")
        panel.legend(handles=handles)
    figure.savefig(str(path), format="png", dpi=90)
"""
_UNFAIR = """
def unfair(run_a, run_b):
    a, b = dict(run_a.settings), dict(run_b.settings)

    def same(key, view=lambda value: value):
        return key in a and key in b and view(a[key]) == view(b[key])

    rules = (
        ("training data", same("training_data")),
        ("steps", same("steps") and run_a.steps[-1] == run_b.steps[-1]),
        ("batch size", same("batch_size")),
        ("sequence length", same("max_len")),
        ("masks", same("masks")),
        ("evaluation set", same("held_out")),
        ("learning rate", same("rates_tried", frozenset)),
    )
    return [word for word, fair in rules if not fair]
"""
_UNFAIR_TRIED = """
def unfair(run_a, run_b):
    words = []
    for word, key in (
        ("training data", "training_data"), ("steps", "steps"), ("batch size", "batch_size"), ("sequence length", "max_len"),
        ("masks", "masks"), ("evaluation set", "held_out"), ("learning rate", "rates_tried"),
    ):
        try:
            one, two = run_a.settings[key], run_b.settings[key]
        except KeyError:
            words.append(word)
            continue
        if key == "steps":
            one, two = (one, max(run_a.steps)), (two, max(run_b.steps))
        if key == "rates_tried":
            one, two = set(one), set(two)
        if one != two:
            words += [word]
    return words
"""
_DIAGNOSE = """
def diagnose(history):
    top, unigram, slot, floor = (history.lines[key] for key in ("ln V", "unigram", "slot-unigram", "floor"))
    end, trained = history.held_out_mlm[-1], history.train_mlm[-1]
    pairs = zip(history.held_out_mlm, history.held_out_again)
    found = [
        ("N(0,1) start", history.train_mlm[0] > top + 2),
        ("dropout in evaluation", any(abs(a - b) > 1e-6 for a, b in pairs)),
        ("below the floor", end < floor - 0.2),
        ("labels everywhere", trained < floor - 0.2 and end >= floor - 0.2),
        ("frozen head", any(history.moved[head] < 1e-6 for head in ("mlm_head", "sentence_head"))),
        ("swapped labels", history.sentence_accuracy[-1] < 0.4),
        ("rate too high", end >= unigram - 0.1),
        ("slot-unigram plateau", abs(end - slot) < 0.2),
    ]
    return next((name for name, holds in found if holds), "healthy")
"""
_DIAGNOSE_ARRAYS = """
def diagnose(history):
    train, held_out, again = (torch.tensor(x, dtype=torch.float64) for x in history[1:4])
    floor = history.lines["floor"]
    if train[0] >= 1.9 * history.lines["ln V"]:
        return "N(0,1) start"
    if not torch.equal(held_out, again):
        return "dropout in evaluation"
    if floor - held_out[-1] > 0.06:
        return "below the floor"
    if floor - train[-1] > 0.06:
        return "labels everywhere"
    if 0 in (history.moved["mlm_head"], history.moved["sentence_head"]):
        return "frozen head"
    if 0.5 - history.sentence_accuracy[-1] > 0.25:
        return "swapped labels"
    for name, line in (("rate too high", "unigram"), ("slot-unigram plateau", "slot-unigram")):
        if held_out[-1] + 0.08 > history.lines[line]:
            return name
    return "healthy"
"""

VARIANTS = (
    Variant(
        "configurations_branches",
        "configurations",
        Edit(functions={"configurations": _CONFIGURATIONS}),
        "a branch for each preset, defaults left unsaid",
    ),
    Variant(
        "configurations_rows",
        "configurations",
        Edit(functions={"configurations": _CONFIGURATIONS_ROWS}),
        "the table's rows searched, every size said",
    ),
    Variant(
        "compare_own_state",
        "compare",
        Edit(functions={"compare": _COMPARE_STATE}),
        "the random state put back by hand, equal sets drawn again for each model",
    ),
    Variant(
        "compare_model_first",
        "compare",
        Edit(
            swap=(
                (
                    "            torch.manual_seed(seed)\n            model = model_class(config)\n",
                    "            generator = torch.manual_seed(seed)\n            assert generator is not None\n            model = model_class(config).train()\n",
                ),
            )
        ),
        "the model is put into train mode before it is trained",
    ),
    Variant(
        "compare_seed_in_place",
        "compare",
        Edit(
            swap=(
                (
                    "with torch.random.fork_rng():\n            torch.manual_seed(seed)",
                    "with torch.random.fork_rng(devices=[]):\n            torch.default_generator.manual_seed(seed)",
                ),
            )
        ),
        "the CPU's generator alone is seeded and put back",
    ),
    Variant(
        "summary_table_padded",
        "summary_table",
        Edit(functions={"summary_table": _TABLE}),
        "cells padded to columns, a line's end at the end",
    ),
    Variant(
        "summary_table_aligned",
        "summary_table",
        Edit(swap=(_TABLE_ALIGNED,)),
        "the ruler aligns numbers to the right",
    ),
    Variant(
        "plot_pyplot",
        "plot_losses",
        Edit(functions={"plot_losses": _PYPLOT}),
        "pyplot, markers, a grid, an open file",
    ),
    Variant(
        "plot_handles",
        "plot_losses",
        Edit(functions={"plot_losses": _HANDLES}),
        "a legend of names and styles made by hand, lines as curves",
    ),
    Variant(
        "unfair_rules", "unfair", Edit(functions={"unfair": _UNFAIR}), "a list of rules, rates as frozen sets"
    ),
    Variant(
        "unfair_tried",
        "unfair",
        Edit(functions={"unfair": _UNFAIR_TRIED}),
        "missing keys caught, steps compared as a pair",
    ),
    Variant(
        "diagnose_rules",
        "diagnose",
        Edit(functions={"diagnose": _DIAGNOSE}),
        "a list of rules with wider limits",
    ),
    Variant(
        "diagnose_tensors",
        "diagnose",
        Edit(functions={"diagnose": _DIAGNOSE_ARRAYS}),
        "tensors, narrower limits",
    ),
)
