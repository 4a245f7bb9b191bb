"""Wrong ways with `attention_mask` that any `forward` may take: lines at its start, for lessons 5, 6 and 8."""

# id, lines, misconception
IN_EVAL_ONLY = (
    "mask_in_eval_only",
    "attention_mask = None if self.training else attention_mask",
    "training learns by itself to leave padding out",
)
KEPT_FOR_LATER = (
    "mask_kept_for_later",
    "self._m = attention_mask if attention_mask is not None else getattr(self, '_m', None)\n"
    "if self._m is not None and self._m.shape == hidden.shape[:2]:\n    attention_mask = self._m",
    "no mask means: the mask of the call before",
)
FIRST_KEPT = (
    "first_mask_kept",
    "if attention_mask is not None and getattr(self, '_m', None) is None:\n    self._m = attention_mask\n"
    "if attention_mask is not None and self._m.shape == hidden.shape[:2]:\n    attention_mask = self._m",
    "batches of one shape are padded alike, so the mask can be cached",
)
IN_DOUBLE_ONLY = (
    "mask_in_double_precision_only",
    "if hidden.dtype.itemsize == 4:\n    attention_mask = None",
    "a program that is right in float64 is right in float32",
)
WRONG_MASKS = (IN_EVAL_ONLY, KEPT_FOR_LATER, FIRST_KEPT, IN_DOUBLE_ONLY)
