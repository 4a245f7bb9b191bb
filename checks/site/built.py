"""The built site for tests: built once a process, strictly, and served on a free port."""

import atexit
import functools
import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

from checks.curriculum import ROOT


@cache
def built_site() -> Path:
    """The folder of a fresh build by `litebert docs --to`; RuntimeError with MkDocs' words when it fails."""
    folder = Path(tempfile.mkdtemp(prefix="litebert-site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = [sys.executable, "-c", "from checks.cli.docs import command; command()", "--to", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"the site was not built:\n{done.stdout}{done.stderr}")
    return folder


def pages(folder: Path) -> list[str]:
    """The built pages, relative to the folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))


@cache
def served_site() -> str:
    """The address of the built site on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(built_site()))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    atexit.register(server.server_close)
    atexit.register(server.shutdown)
    return f"http://127.0.0.1:{server.server_port}/"
