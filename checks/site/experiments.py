"""The `{{ experiment NAME }}` role: a section of a page, made from docs/results/experiment-NAME.json alone.

Title, question, what was and was not reproduced, tables with the paper's beside, pictures, and where it all comes
from. `{{ experiment quick }}` and `{{ experiment cpu }}` do the same for a preset's seeds, without a heading. So the
pages cannot say anything else than the runs said.
"""

import re
from pathlib import Path
from typing import Any

from checks.site.results import RESULTS, load
from checks.site.snippets import outside_fences

ROLE = re.compile(r"\{\{ experiment (?P<name>[\w-]+) \}\}")
VERDICTS = {"yes": "Reproduced", "no": "Not reproduced", "open": "Undecided"}
OWN = {
    "yes": "Reached",
    "no": "Not reached",
    "open": "Undecided",
}  # of a preset, which copies no one
PRESETS = ("quick", "cpu")
FOLDED = "Curves, loss by kind of slot, and every run"


def file_of(name: str) -> str:
    """The results file of an experiment."""
    return name if name in PRESETS else f"experiment-{name}"


def render(markdown: str, folder: Path = RESULTS) -> str:
    """The page with every `{{ experiment NAME }}` outside code replaced; ValueError for a file that is not there."""
    lines = markdown.split("\n")
    for number, line in enumerate(outside_fences(markdown)):
        if role := ROLE.fullmatch(line.strip()):
            lines[number] = section(role["name"], load(file_of(role["name"]), folder))
    return "\n".join(lines)


def section(name: str, record: dict[str, Any]) -> str:
    """Everything of one experiment as Markdown."""
    values = record["values"]
    result, *others = values["report"]["sections"]
    preset = name in PRESETS
    head = [] if preset else [f"## {values['report']['title']} {{ #{name} }}"]
    notes = result["text"] if preset else result["text"][1:]  # the first says what the claims say
    parts = [
        *head,
        f"*{values['question']}*",
        claims(values["claims"], OWN if preset else VERDICTS),
        *notes,
        *(table(one) for one in result["tables"]),
        *(figure(name, one) for one in result["charts"]),
        origin(record),
    ]
    if others:
        parts.append(
            folded([*values["report"]["lead"], *(part for one in others for part in rest(name, one))])
        )
    return "\n\n".join(parts)


def claims(found: list[dict[str, str]], words: dict[str, str]) -> str:
    """How many claims held, and each in order with what became of it and its numbers."""
    verdicts = [claim["verdict"] for claim in found]
    counts = ", ".join(f"{verdicts.count(kind)} {word.lower()}" for kind, word in words.items())
    rows = [f"- **{words[claim['verdict']]}:** {claim['text']} ({claim['numbers']})" for claim in found]
    return "\n".join([f"{len(found)} claims: {counts}.", "", *rows])


def table(one: dict[str, Any]) -> str:
    """A table under its caption."""
    lines = [one["heading"], [":--"] + ["--:"] * (len(one["heading"]) - 1), *one["rows"]]
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"**{one['caption']}**\n\n{rows}" if one["caption"] else rows


def figure(name: str, chart: dict[str, Any]) -> str:
    """The fence that draws a chart."""
    return f"```figure\nkind: chart\nid: {name}-{chart['name']}\nresults: {file_of(name)}\nchart: {chart['name']}\n```"


def origin(record: dict[str, Any]) -> str:
    """Command, cost, date and commit."""
    values = record["values"]
    trained = f"{values['runs']} runs" if values["runs"] else "nothing trained"
    minutes = f"{record['seconds']:,.0f} s" + ("" if values.get("in_all", True) else " of training, added up")
    return (
        f"Command: `{record['command']}`. {trained[0].upper()}{trained[1:]}, {minutes}; {record['date']}, "
        f"commit `{record['commit'][:9]}`."
    )


def rest(name: str, one: dict[str, Any]) -> list[str]:
    """The parts of a section of the common end: texts, tables, pictures."""
    return [
        f"**{one['title']}**",
        *one["text"],
        *(table(found) for found in one["tables"]),
        *(figure(name, chart) for chart in one["charts"]),
    ]


def folded(parts: list[str]) -> str:
    """The parts in a block that opens on demand."""
    inside = "\n\n".join(parts).replace("\n", "\n    ")
    return f'??? info "{FOLDED}"\n\n    {inside}'
