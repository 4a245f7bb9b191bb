"""`litebert watch`: each save is judged at once, and a newer save ends the judging of an older one."""

import queue
import threading
import time
from collections.abc import Callable, Sequence

from checks.curriculum import BY_NAME, LESSONS
from checks.workbench.memory import folder_of
from checks.workbench.saves import Watcher
from checks.workbench.warm import FORKS, Job, Result, warm_up

COLOURS = {"✓": "green", "✗": "red", "·": "bright_black", "…": "yellow"}
Say = Callable[..., None]
Events = queue.Queue[str | tuple[Job, Result]]


def watch(lessons: Sequence[str], subject: str, poll: bool, say: Say) -> None:
    """Judge `lessons` (named ones at once) whenever their files are saved, until Ctrl-C."""
    watched = list(lessons) or [lesson.module for lesson in LESSONS]
    events: Events = queue.Queue()
    context = warm_up(watched)
    watcher = Watcher(folder_of(subject), watched, events.put, poll)
    say(f"watching {subject}/ ({watcher.how}); save a lesson to have it checked, Ctrl-C ends")
    if not FORKS:
        say("this system cannot fork: each verdict starts a new Python, which takes seconds more")
    for lesson in lessons:
        events.put(lesson)
    running: dict[str, Job] = {}
    try:
        while True:
            try:
                event = events.get(timeout=0.5)  # Windows hears Ctrl-C between two waits only
            except queue.Empty:
                continue
            if isinstance(event, str):
                if event in running:
                    running.pop(event).cancel()
                say(f"{time.strftime('%H:%M:%S')} {event}.py: checking", dim=True)
                running[event] = job = Job(context, event, subject)
                threading.Thread(target=_pass_on, args=(job, events), daemon=True).start()
            elif not event[0].cancelled:
                show(event[1], subject, say)
    finally:
        watcher.stop()
        for job in running.values():
            job.cancel()


def _pass_on(job: Job, events: Events) -> None:
    for result in job.results():
        events.put((job, result))


def show(result: Result, subject: str, say: Say) -> None:
    """A lesson's block, coloured as in pytest's report, and the next step where it is green."""
    for line in result.lines:
        say(line, fg=COLOURS.get(line.lstrip()[:1]))
    for line in result.printed:
        say(f"      printed   {line}", dim=True)
    say(f"  {result.seconds:.1f} s{', the bonus follows' if result.more_follows else ''}", dim=True)
    if result.green and not result.more_follows:
        number = BY_NAME[result.lesson].number
        rest = f"; next is {LESSONS[number].module}" if number < len(LESSONS) else ""
        option = "" if subject == "lessons" else f" --subject {subject}"
        say(f"  `litebert show {result.lesson}{option}` draws what your code does{rest}")
