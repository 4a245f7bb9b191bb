"""A report shown where it is asked for: rendered in a notebook, as text elsewhere."""

import sys
from pathlib import Path

from checks.experiments.lab import Lab
from checks.experiments.report import Report


def show(report: Report, lab: Lab, name: str) -> None:
    """Show the report of experiment `name`, with its pictures where there is a notebook to show them in."""
    folder = lab.out / f"{name}-{lab.form.name}"
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        _show_rich(report, folder)
    else:
        print(report.markdown(pictures=False))
    print(f"The same with live pictures: {folder / 'report.html'}")


def _show_rich(report: Report, folder: Path) -> None:
    from IPython.display import Image, Markdown, display

    display(Markdown(report.markdown(pictures=False)))
    for chart in report.charts:
        display(Image(filename=str(folder / f"{chart.name}.png")))
