"""Records what a command measured, for pages to quote: `python -m checks.site.record NAME "COMMAND"`.

The command prints one JSON object on its standard output: the values. The file docs/results/NAME.json keeps
them with the command, its seconds, the date and the commit. Results of under 5 s are made again by the tests.
"""

import datetime
import json
import subprocess
import sys
import time

from checks.site.results import RESULTS, ROOT


def record(name: str, command: str) -> None:
    """Runs `command` in the project's folder and writes the results file; CalledProcessError when it fails."""
    started = time.perf_counter()
    done = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    seconds = round(time.perf_counter() - started, 1)
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    entry = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "seconds": seconds,
        "values": json.loads(done.stdout),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
    print(f"docs/results/{name}.json: {len(entry['values'])} values in {seconds} s")


if __name__ == "__main__":
    record(*sys.argv[1:3])
