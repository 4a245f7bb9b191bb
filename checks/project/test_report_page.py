"""report.html: one file, no network, right in light and dark, and live in a browser."""

from pathlib import Path

import pytest

from checks.experiments.charts import Chart, Series, bars, ticks
from checks.experiments.html import page, prose
from checks.experiments.report import Report, Section, Table, write
from checks.site import browser

CURVES = Chart("curves", "Loss", "step", "nats", [Series("A </script>", [1, 2, 3], [3.0, 2.0, 1.5]),
               Series("B", [1, 2, 3], [3.1, 2.2, 1.4], "dashed")], rules={"floor": 0.9})  # fmt: skip
MARKS = [bars("own", [0.5, 0.9], [0.1, None]), ticks("paper", [0.6, 0.8])]
BARS = Chart("bars", "By model", "model", "accuracy", MARKS,
             categories=["x", "y"], from_zero=True)  # fmt: skip
REPORT = Report(
    "A <report>",
    ["Command: `litebert capstone`"],
    [
        Section(
            "Result",
            ["**bold** & more"],
            [Table("Figures", ["model", "n"], [["b", "9"], ["a", "10"]])],
            [CURVES, BARS],
        )
    ],
    {"x": 1},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report, written."""
    out = tmp_path_factory.mktemp("report")
    write(REPORT, out)
    return out


def test_the_page_is_one_file_that_names_no_other(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "A &lt;report&gt;" in text
    assert not any(
        word in text.replace("http://www.w3.org/2000/svg", "")
        for word in ("http:", "https:", "src=", "<link")
    )
    assert "prefers-color-scheme: dark" in text
    assert text.count("</script>") == 2


def test_text_is_escaped_before_it_is_dressed() -> None:
    assert prose("`a<b` **c** <i>") == "<code>a&lt;b</code> <strong>c</strong> &lt;i&gt;"


def test_the_summary_has_the_tables_and_links_the_pictures(folder: Path) -> None:
    text = (folder / "summary.md").read_text(encoding="utf-8")
    assert "| model | n |\n| --- | --- |\n| b | 9 |" in text
    assert "![Loss](curves.png)" in text
    assert (folder / "bars.png").read_bytes().startswith(b"\x89PNG")


def test_equal_reports_are_equal_pages() -> None:
    assert page(REPORT) == page(REPORT)


@pytest.mark.skipif(not browser.chromium_is_here(), reason=f"there is no {browser.CHROMIUM}")
def test_the_page_lives_in_a_browser(folder: Path) -> None:
    """Charts are drawn, a table is sorted, a value is shown under the pointer, the theme changes; no errors."""
    pytest.importorskip("playwright", reason="the browser tests need playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=browser.ARGUMENTS)
        tab = chromium.new_page()
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        tab.goto((folder / "report.html").as_uri())
        assert tab.locator("figure svg").count() == 2
        assert tab.locator("svg polyline").count() == 2
        assert tab.locator("svg rect").count() == 2
        tab.get_by_role("button", name="n", exact=True).click()
        assert tab.locator("tbody td").all_inner_texts() == ["b", "9", "a", "10"]
        tab.get_by_role("button", name="model", exact=True).click()
        assert tab.locator("tbody td").all_inner_texts() == ["a", "10", "b", "9"]
        tab.locator("svg circle").nth(1).hover()
        assert tab.locator(".tip").first.inner_text().endswith("step 2: 2")
        tab.get_by_role("button", name="B", exact=True).click()
        assert tab.locator("svg polyline").count() == 1
        ground = "getComputedStyle(document.body).backgroundColor"
        light = tab.evaluate(ground)
        tab.get_by_role("button", name="Light or dark").click()
        assert tab.evaluate(ground) != light
        chromium.close()
    assert errors == []
