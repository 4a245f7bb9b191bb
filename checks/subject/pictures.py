"""Pictures that judged code writes to a file: the file crosses as pixels and as the words drawn in it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from checks.subject.runtime import Runtime

PNG = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 8_000_000


def picture(run: "Runtime", function: str, args: list, as_text: bool) -> list:
    """What `function(*args, path)` leaves at a path without a suffix, where an older file lies.

    Three parts: whether it is a PNG, its brightness as bytes `[height, width]` (empty if it is none), and the
    texts drawn meanwhile as [text, place from left to right in 0..1]. `as_text` says that the path comes as str.
    """
    with tempfile.TemporaryDirectory() as folder, _words() as words:
        path = Path(folder) / "picture"
        path.write_bytes(b"an older file\n" * 9)
        run.attribute(function)(*[run.take(value) for value in args], str(path) if as_text else path)
        is_png = path.read_bytes()[: len(PNG)] == PNG
        pixels = _brightness(path) if is_png else np.zeros((0, 0), np.uint8)
    return [is_png, pixels, words]


def _brightness(path: Path) -> np.ndarray:
    from matplotlib.image import imread

    with open(path, "rb") as file:
        pixels = imread(file, format="png")
    if pixels.shape[0] * pixels.shape[1] > MOST_PIXELS:
        raise ValueError(f"a picture of {pixels.shape[1]} x {pixels.shape[0]} pixels, at most {MOST_PIXELS}")
    grey = pixels if pixels.ndim == 2 else pixels[..., :3] @ np.array([0.3, 0.6, 0.1])
    return np.round(255 * grey).astype(np.uint8)


@contextmanager
def _words() -> Iterator[list[list[Any]]]:
    """Collects the texts that matplotlib draws."""
    from matplotlib.text import Text

    words: list[list[Any]] = []
    draw = Text.draw

    def drawn(self: Any, renderer: Any, *args: Any, **kwargs: Any) -> Any:
        if self.get_visible() and self.get_text():
            box = self.get_window_extent(renderer)
            words.append(
                [self.get_text(), float((box.x0 + box.x1) / 2 / renderer.get_canvas_width_height()[0])]
            )
        return draw(self, renderer, *args, **kwargs)

    Text.draw = drawn  # type: ignore[method-assign]
    try:
        yield words
    finally:
        Text.draw = draw  # type: ignore[method-assign]


OPERATIONS = {"picture": picture}
