"""Pictures of the grader's pages for the instructor's guide: a small invented class, graded and photographed.

    python -m checks.site.screenshots [--students 16] [--lessons vocab,masking,pairing,attention] [--graded DIR]

The class is `checks.grade.synthetic`'s, so every name in the pictures is invented. With `--graded` a batch that is
there already is photographed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from checks.curriculum import ROOT
from checks.site.browser import ARGUMENTS, CHROMIUM

IMAGES = ROOT / "docs" / "assets" / "images"
LESSONS = ("vocab", "masking", "pairing", "attention")
SECRET = "the secret of the pictures"
WIDTH, HEIGHT = 960, 1080


def graded_class(folder: Path, students: int, lessons: tuple[str, ...]) -> Path:
    """An invented class in `folder`, graded in the sandbox; where its results are."""
    from checks.grade.synthetic import choose, write

    for number in range(students):
        write(number, choose(number, lessons), folder / "submissions")
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    listed = ", ".join(f'"{lesson}"' for lesson in lessons)
    settings = f'[course]\nname = "Language models, autumn"\nlessons = [{listed}]\nsecret = "secret.txt"\n'
    (folder / "course.toml").write_text(settings, encoding="utf-8")
    out, config = folder / "graded", folder / "course.toml"
    arguments = ["grade", str(folder / "submissions"), "--out", str(out), "--config", str(config)]
    subprocess.run([sys.executable, "-m", "checks.cli.main", *arguments], cwd=ROOT, check=True)
    return out


def most_telling(learners: Path) -> Path:
    """The page that names the most mistakes."""
    return max(
        sorted(learners.glob("*.html")), key=lambda page: page.read_text(encoding="utf-8").count("Likely:")
    )


def photograph(graded: Path, images: Path) -> list[Path]:
    """Two pictures: the top of the class page and of one learner's page."""
    from playwright.sync_api import sync_playwright

    images.mkdir(parents=True, exist_ok=True)
    wanted = {"class-page.png": graded / "class.html", "learner-page.png": most_telling(graded / "learners")}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        for name, source in wanted.items():
            page.goto(source.resolve().as_uri())
            page.screenshot(path=images / name)
        browser.close()
    return [images / name for name in wanted]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m checks.site.screenshots")
    parser.add_argument("--students", type=int, default=16)
    parser.add_argument("--lessons", type=lambda text: tuple(text.split(",")), default=LESSONS)
    parser.add_argument("--graded", type=Path, help="a folder that `litebert grade` made")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="litebert-pictures-") as scratch:
        graded = asked.graded or graded_class(Path(scratch), asked.students, asked.lessons)
        for path in photograph(graded, IMAGES):
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
