"""`litebert similarity`: which submissions are suspiciously alike."""

from pathlib import Path

import click


@click.command("similarity")
@click.argument("submissions", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where the report goes."
)
@click.option("--config", type=click.Path(exists=True, path_type=Path), help="The instructor's course.toml.")
def command(submissions: Path, out: Path, config: Path | None) -> None:
    """Compare all pairs of SUBMISSIONS, minus what everybody was given and every known right solution.

    Writes alike.html and alike.csv to OUT. No submission is run.
    """
    from checks.curriculum import LESSONS
    from checks.grade.course import load_course
    from checks.grade.files import write_atomically
    from checks.grade.intake import take_in
    from checks.grade.reports.alike import alike_csv, alike_page
    from checks.grade.similarity import similar_pairs

    lessons = load_course(config).lessons
    taken = take_in(submissions, tuple(lesson.module for lesson in LESSONS))
    pairs = similar_pairs({s.key: s.files for s in taken if s.files}, lessons)
    write_atomically(out / "alike.html", alike_page(pairs, lessons))
    write_atomically(out / "alike.csv", alike_csv(pairs))
    marked = [pair for pair in pairs if pair.suspicious]
    for pair in marked:
        click.echo(f"{pair.one} and {pair.other}: {100 * pair.share:.0f} % of {pair.smaller} fingerprints")
    click.echo(f"{len(marked)} pairs marked of {len(taken)} submissions ({out / 'alike.html'})")
