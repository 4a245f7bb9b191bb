"""The capstone's experiments: what ALBERT claims, asked again on stories whose optimum is known.

Each experiment is one file with two functions: `runs` says what must be trained, `report` reads the outcome.
Runs are kept under a hash of all that decides their numbers, so experiments share them.
"""

EXPERIMENTS = {
    "main": "BERT against ALBERT at equal steps, at equal time and at equal parameters.",
    "objective": "No sentence task, NSP or SOP: what each is good for (the paper's Table 5).",
    "embedding": "The width E of the embedding tables, shared layers and not (Table 3).",
    "sharing": "Sharing nothing, attention, the FFN, all, or all within groups (Table 4).",
    "depth": "More layers with the same parameters (Table 11).",
    "masking": "Static or dynamic masks, single tokens or n-grams, 15 or 30 %.",
    "cost": "Parameters, bytes, memory, FLOPs, latency and throughput of both.",
    "control": "Stories whose order carries no information: whoever reads it has found a leak.",
}
