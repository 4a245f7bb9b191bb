"""Gradescope: an autograder's zip file. It runs at the strongest level that the container allows, most often `uid`."""

import secrets
import zipfile
from pathlib import Path

from checks.curriculum import ROOT
from checks.grade.course import load_course
from checks.sandbox.packages import ALLOWED

PARTS = ("checks", "lessons", "solutions")
FILES = ("pyproject.toml", "README.md", "LICENSE")
SKIPPED = {"__pycache__", ".hypothesis", "project", "site"}
EPOCH = (2020, 1, 1, 0, 0, 0)

GRADERS_OWN = ("hypothesis", "packaging")
SETUP = f"""#!/usr/bin/env bash
# Runs once, when the image is built.
set -euo pipefail
cd /autograder/source
apt-get update -q
export DEBIAN_FRONTEND=noninteractive
apt-get install -q -y --no-install-recommends python3 python3-venv bubblewrap
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo 'Choose a base image with Python 3.11 or newer, such as Ubuntu 24.04.'
  exit 1
fi
# What judged code may import goes where every user can read; what the grader alone needs does not.
python3 -m venv /opt/litebert
/opt/litebert/bin/pip install -q torch --index-url https://download.pytorch.org/whl/cpu
/opt/litebert/bin/pip install -q {" ".join(name for name in ALLOWED if name != "torch")}
/opt/litebert/bin/pip install -q --target /opt/litebert-grader {" ".join(GRADERS_OWN)}
chmod 700 /opt/litebert-grader
"""

RUN = """#!/usr/bin/env bash
# Runs for every submission, as root. Judged code runs as another user, who cannot read any of this.
set -euo pipefail
chmod 700 /autograder/source /autograder/results /autograder/submission
cd /autograder/source
export PYTHONHASHSEED=0 OMP_NUM_THREADS=1 PYTHONPATH=/autograder/source:/opt/litebert-grader
exec /opt/litebert/bin/python -m checks.grade.gradescope \\
  /autograder/submission /autograder/results/results.json --secret secret.txt{config}
"""


def write_autograder(target: Path, config: Path | None = None) -> int:
    """Write the zip file; the number of its files. Equal sources and secrets give equal bytes."""
    entries: dict[str, tuple[bytes, int]] = {
        "setup.sh": (SETUP.encode(), 0o755),
        "run_autograder": (RUN.format(config=" --config course.toml" if config else "").encode(), 0o755),
    }
    secret = load_course(config).secret
    entries["secret.txt"] = (secret.read_bytes() if secret else secrets.token_hex(16).encode(), 0o600)
    if config:
        entries["course.toml"] = (config.read_bytes(), 0o644)
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*")):
            if path.is_file() and path.suffix != ".pyc" and not set(path.relative_to(ROOT).parts) & SKIPPED:
                entries[str(path.relative_to(ROOT))] = (path.read_bytes(), 0o644)
    for name in FILES:
        entries[name] = ((ROOT / name).read_bytes(), 0o644)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, mode) in sorted(entries.items()):
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return len(entries)
