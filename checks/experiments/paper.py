"""Figures of the ALBERT paper that the experiments are held against.

Source: Lan et al. 2020 (arXiv 1909.11942), Tables 2, 3, 4, 5 and 11. "Avg" is its average over five tasks.
"""

PAPER = "Lan et al. 2020"

# Table 2: parameters as printed, average, speed of training relative to BERT-large.
TABLE_2 = {
    "BERT-base": ("108M", 82.3, 4.7),
    "BERT-large": ("334M", 85.2, 1.0),
    "ALBERT-base": ("12M", 80.1, 5.6),
    "ALBERT-large": ("18M", 82.4, 1.7),
    "ALBERT-xlarge": ("60M", 85.5, 0.6),
    "ALBERT-xxlarge": ("235M", 88.7, 0.3),
}
# Table 3: (layers shared, E) -> parameters, average. The base model, D = 768.
TABLE_3 = {
    (False, 64): ("87M", 81.3),
    (False, 128): ("89M", 81.7),
    (False, 256): ("93M", 81.8),
    (False, 768): ("108M", 82.3),
    (True, 64): ("10M", 79.0),
    (True, 128): ("12M", 80.1),
    (True, 256): ("16M", 79.6),
    (True, 768): ("31M", 79.8),
}
# Table 4: what is shared -> average at E = 768 and at E = 128.
TABLE_4 = {
    "none": (82.3, 81.6),
    "attention": (81.6, 81.7),
    "ffn": (79.5, 80.2),
    "all": (79.8, 80.1),
}
# Table 5: trained with -> accuracy in per cent on masked tokens, NSP and SOP.
TABLE_5 = {
    "none": (54.9, 52.4, 53.3),
    "nsp": (54.5, 90.5, 52.0),
    "sop": (54.0, 78.9, 86.5),
}
# Table 11: layers of ALBERT-large (all shared, 18M throughout) -> average.
TABLE_11 = {1: 52.9, 3: 71.2, 6: 77.2, 12: 81.5, 24: 82.1, 48: 81.8}
