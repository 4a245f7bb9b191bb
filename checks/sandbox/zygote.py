"""The process that has loaded NumPy (and torch) once, and forks a worker for every job.

It is trusted: judged code never runs in it. A job is one datagram with three descriptors: the two ends of the
worker's pipes and a socket for what happens to the worker. A keeper process in between waits for the worker:
it sends the worker's pidfd first, and how the worker ended last.
"""

import gc
import importlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import tempfile
from pathlib import Path
from typing import NoReturn

from checks.sandbox import confine
from checks.sandbox.limits import Limits
from checks.sandbox.worker import serve
from checks.subject.runtime import OPERATION_MODULES

COMMON = (*OPERATION_MODULES, "numpy.random", "lessons.given.records", "lessons.given.config")
WITH_TORCH = (
    "torch",
    "torch._dynamo",  # or else the first optimiser step of every worker would import it: 1.2 s
    "torch.utils.data",
    "matplotlib.pyplot",  # or else every worker that draws would look for the fonts
    "checks.subject.scripted_models",
    "lessons.given.names",
    "lessons.given.corpora",
    "lessons.given.engine",
)


def load(torch: bool) -> None:
    """Import what workers need, on one thread: a fork would not survive more. The collector comes in at the end.

    The one conversion to half precision makes torch look at /proc/cpuinfo, which workers do not see.
    """
    gc.disable()
    for name in (*COMMON, *(WITH_TORCH if torch else ())):
        importlib.import_module(name)
    if torch:
        library = importlib.import_module("torch")
        library.set_num_threads(1)
        library.zeros(1).half()
    gc.collect()
    gc.freeze()
    gc.enable()


def run(control: socket.socket, level: str, app: str) -> NoReturn:
    """Serve jobs until every host process has closed its end. At the level uid, `app` is a copy for this process."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    control.send(b"ready")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 4096, 3)
        if not message:
            if level == "uid":
                shutil.rmtree(app, ignore_errors=True)
            os._exit(0)
        if os.fork() == 0:
            control.close()
            _keep(Limits(**json.loads(message)), level, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _keep(limits: Limits, level: str, request: int, reply: int, answer: int) -> NoReturn:
    """The keeper: fork the worker into namespaces of its own, hand its pidfd over, tell how it ended."""
    talk = socket.socket(fileno=answer)
    folder = Path(tempfile.mkdtemp(prefix="litebert-")) if level == "uid" else Path(confine.OWN_FILES)
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if level == "bwrap":
            confine.leave_shared_namespaces()
        worker = os.fork()
        if worker == 0:
            _work(limits, level, request, reply, talk, folder)
        for descriptor in (request, reply):
            os.close(descriptor)
        pidfd = os.pidfd_open(worker)
        socket.send_fds(talk, [b"worker"], [pidfd])
        _wait(talk, pidfd)
        _, status = os.waitpid(worker, 0)
        talk.send(json.dumps([status, *_used()]).encode())
    except OSError as error:
        _complain(talk, error)
    finally:
        if level == "uid":
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def _used() -> tuple[float, int]:
    """CPU seconds of worker and keeper, and the worker's most memory in kB."""
    worker, own = (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    return sum(part.ru_utime + part.ru_stime for part in (worker, own)), worker.ru_maxrss


def _wait(talk: socket.socket, pidfd: int) -> None:
    """Until the worker has ended; it is ended if its host goes away."""
    events = select.poll()
    events.register(pidfd, select.POLLIN)
    events.register(talk, 0)  # reports a closed end only
    if talk.fileno() in dict(events.poll()):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def _work(
    limits: Limits, level: str, request: int, reply: int, talk: socket.socket, folder: Path
) -> NoReturn:
    try:
        if level == "bwrap":
            confine.own_mounts(limits)
        else:
            confine.become_other_user(folder, os.getpid())
        os.chdir(folder)
        confine.seal(limits)
    except OSError as error:
        _complain(talk, error)
        os._exit(1)
    confine.keep_only((request, reply))
    serve(request, reply, folder)


def _complain(talk: socket.socket, error: OSError) -> None:
    """The sandbox could not be made: the host must not take it for the submission's fault."""
    talk.send(f"refused {error}".encode()[:500])
