"""The site of a release, built from the release alone: what learners will see in the browser."""

import os
import subprocess
import sys
from pathlib import Path


def build_site(tree: Path, target: Path) -> None:
    """Build the site of a learners' tree into a folder, with the tree's own code and strictly.

    Raises:
        RuntimeError: with the last words of MkDocs.
    """
    inside = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)]
    done = subprocess.run(command, cwd=tree, env={**os.environ, **inside}, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the site of the release cannot be built:\n{done.stdout}{done.stderr[-2000:]}")
