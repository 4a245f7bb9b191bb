"""Who saved what: the files of a folder are watched, with the watchfiles library or by looking again and again."""

import threading
from collections.abc import Callable, Collection
from pathlib import Path

LOOK_EVERY = 0.2
Tell = Callable[[str], None]


class Watcher:
    """Tells the name of each lesson whose file was saved, from a thread of its own.

    `how` says in words how files are watched.
    """

    def __init__(self, folder: Path, lessons: Collection[str], tell: Tell, poll: bool = False) -> None:
        self.folder = folder
        self.lessons = frozenset(lessons)
        self.tell = tell
        self.stopped = threading.Event()
        self.how = f"looking every {LOOK_EVERY:g} s"
        work = self._look
        if not poll:
            try:
                import watchfiles  # noqa: F401

                work, self.how = self._listen, "told by the system"
            except ImportError:
                self.how += " (the package watchfiles, which is quicker, is not installed)"
        self._seen = stamps(folder, self.lessons)
        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self.stopped.set()
        self._thread.join(1)

    def _listen(self) -> None:
        from watchfiles import watch

        try:
            for changes in watch(
                self.folder,
                watch_filter=None,
                debounce=100,
                step=20,
                recursive=False,
                stop_event=self.stopped,
                raise_interrupt=False,
                rust_timeout=500,
            ):
                for path in {Path(path) for _, path in changes}:
                    if path.suffix == ".py" and path.stem in self.lessons and path.is_file():
                        self.tell(path.stem)
        except OSError as error:  # such as: no more watches left
            print(f"watching by the system failed ({error}): looking every {LOOK_EVERY:g} s instead")
            self._look()

    def _look(self) -> None:
        while not self.stopped.wait(LOOK_EVERY):
            now = stamps(self.folder, self.lessons)
            for lesson in [name for name, stamp in now.items() if stamp != self._seen.get(name)]:
                self.tell(lesson)
            self._seen = now


def stamps(folder: Path, lessons: Collection[str]) -> dict[str, tuple[int, int]]:
    """Time and size of each lesson's file that is there."""
    found = {}
    for lesson in lessons:
        try:
            status = (folder / f"{lesson}.py").stat()
        except OSError:
            continue
        found[lesson] = (status.st_mtime_ns, status.st_size)
    return found
