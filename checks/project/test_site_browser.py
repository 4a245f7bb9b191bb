"""The site in a real browser: accessibility, quizzes, figures, search, no foreign request."""

from collections.abc import Iterator
from typing import Any

import pytest

from checks.site import browser
from checks.site.built import built_site, pages, served_site
from checks.site.results import load
from lessons.given.config import ModelConfig

pytest.importorskip("playwright", reason="the browser tests need playwright")
pytestmark = pytest.mark.skipif(not browser.chromium_is_here(), reason=f"there is no {browser.CHROMIUM}")
LESSON = "lessons/05-attention.html"


@pytest.fixture(scope="module")
def visits() -> dict[str, browser.Visit]:
    """Every page, visited once."""
    return browser.survey(served_site(), pages(built_site()))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=browser.ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module", params=["http", "file"])
def site(chromium: Any, request: pytest.FixtureRequest) -> Iterator[tuple[Any, str]]:
    """A browser's context and the site's address: once the site served, once its files.

    Tests share the context, so that scripts are read and compiled once; what it remembers is cleared after each.
    """
    address = served_site() if request.param == "http" else built_site().as_uri() + "/"
    context = chromium.new_context()
    yield context, address
    context.close()


@pytest.fixture
def page(site: tuple[Any, str]) -> Iterator[Any]:
    """A fresh page; `page.site` is the address."""
    context, address = site
    fresh = context.new_page()
    fresh.set_viewport_size({"width": 1280, "height": 900})
    errors: list[str] = []
    fresh.on("pageerror", lambda error: errors.append(str(error)))
    fresh.on("request", lambda r: errors.append(r.url) if browser.is_foreign(r.url, address) else None)
    fresh.site = address
    yield fresh
    fresh.evaluate("localStorage.clear()")
    fresh.close()
    assert not errors


def test_no_page_violates_wcag_22_aa_in_any_look(visits: dict[str, browser.Visit]) -> None:
    assert {name: visit.violations for name, visit in visits.items() if visit.violations} == {}


def test_no_page_writes_an_error_to_the_console(visits: dict[str, browser.Visit]) -> None:
    assert {name: visit.console for name, visit in visits.items() if visit.console} == {}


def test_no_page_asks_another_host_for_anything(visits: dict[str, browser.Visit]) -> None:
    assert {name: visit.foreign for name, visit in visits.items() if visit.foreign} == {}


def test_every_page_opens_from_its_file_as_from_a_server() -> None:
    address = built_site().as_uri() + "/"
    names = [name for name in pages(built_site()) if name != "404.html"]
    for visit in browser.survey(address, names, axe=False).values():
        assert (visit.page, visit.console, visit.foreign, visit.unrendered) == (visit.page, [], [], 0)


def test_all_mathematics_is_rendered(visits: dict[str, browser.Visit]) -> None:
    assert {name: visit.unrendered for name, visit in visits.items() if visit.unrendered} == {}


def test_no_page_scrolls_sideways(visits: dict[str, browser.Visit]) -> None:
    assert {name: visit.overflow for name, visit in visits.items() if visit.overflow > 0} == {}


def test_axe_finds_what_is_wrong_on_purpose(page: Any) -> None:
    page.goto(page.site + "index.html")
    page.evaluate(browser.AXE.read_text(encoding="utf-8") + ";0")
    page.evaluate(
        "() => document.querySelector('article').insertAdjacentHTML('beforeend',"
        ' \'<p style="color:#aaa;background:#fff">pale</p><img src="data:,">\')'
    )
    found = page.evaluate(browser.RUN_AXE, browser.TAGS)
    assert {text.split(":")[0] for text in found} == {"color-contrast", "image-alt"}


def test_the_drawer_and_the_search_results_are_accessible(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(page.site + LESSON)
    page.add_style_tag(content=browser.STILL)
    page.evaluate(browser.AXE.read_text(encoding="utf-8") + ";0")
    page.click("label.md-header__button[for=__drawer]")
    assert page.evaluate(browser.RUN_AXE, browser.TAGS) == []
    page.keyboard.press("Escape")
    page.evaluate("() => { document.getElementById('__drawer').checked = false; }")
    page.click("label.md-header__button[for=__search]")
    page.locator(".md-search__input").press_sequentially("softmax")
    page.wait_for_selector(".md-search-result__link")
    assert page.evaluate(browser.RUN_AXE, browser.TAGS) == []


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_menu_of_a_narrow_page_opens_by_the_keyboard(page: Any, key: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(page.site + "index.html")
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press(key)
    page.locator(".md-sidebar--primary").get_by_text("Glossary").wait_for(state="visible")
    assert page.is_checked("#__drawer")


def test_search_finds_a_lesson(page: Any) -> None:
    page.goto(page.site + "index.html")
    page.locator(".md-search__input").press_sequentially("softmax over the queries")
    page.wait_for_selector(".md-search-result__link")
    links = page.eval_on_selector_all(".md-search-result__link", "all => all.map((link) => link.href)")
    assert any(LESSON in link for link in links)


def test_an_answer_is_judged_explained_and_remembered_across_a_reload(page: Any) -> None:
    page.goto(page.site + LESSON)
    form = page.locator("#q-attention-why-the-root")
    form.get_by_label("To keep the scores").check()
    form.get_by_role("button", name="Check").click()
    row_sum = page.locator("#q-attention-row-sum")
    row_sum.get_by_label("Your answer").fill("0.25")
    row_sum.get_by_role("button", name="Check").click()
    page.reload()
    assert "Right." in form.locator(".lb-verdict").inner_text()
    assert form.get_by_label("To keep the scores").is_checked()
    assert form.locator(".lb-option__why:visible").count() == form.locator(".lb-option").count()
    assert "Not yet" in row_sum.locator(".lb-verdict").inner_text()
    assert "hidden key still took its share" in row_sum.inner_text()
    assert "1 of 8 right" in page.locator(".lb-quiz__score").inner_text()
    page.goto(page.site + "progress.html")
    row = page.get_by_role("row").filter(has_text="Attention")
    assert row.get_by_role("cell").all_inner_texts() == ["8", "2", "1", "1"]


def test_a_quiz_is_answered_by_the_keyboard_alone(page: Any) -> None:
    page.goto(page.site + LESSON)
    page.locator("#q-attention-which-axis input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert page.locator("#q-attention-which-axis .lb-verdict").count() == 1


def test_progress_is_exported_and_reset(page: Any) -> None:
    page.goto(page.site + "index.html")
    question = page.locator("#q-start-blind-guess")
    question.get_by_label("Your answer").fill("6.91")
    question.get_by_role("button", name="Check").click()
    page.goto(page.site + "progress.html")
    with page.expect_download() as download:
        page.click("#lb-export")
    saved = download.value.path().read_text(encoding="utf-8")
    assert '"start/blind-guess"' in saved
    page.click("#lb-reset")
    assert page.get_by_role("row").filter(has_text="Start").get_by_role("cell").all_inner_texts() == [
        "3", "1", "1", "1",
    ]  # fmt: skip
    page.click("#lb-reset")
    page.goto(page.site + "index.html")
    assert question.locator(".lb-verdict").count() == 0


def test_typed_answers_have_one_normal_form_in_python_and_in_the_page(page: Any) -> None:
    from checks.site.proofs import normal

    page.goto(page.site + "index.html")
    answers = ["  Sentence-Order   prediction. ", "[1,  2]", "\u22123", '("a", -1)', "Encoder-only", "a - b"]
    assert page.evaluate("all => all.map(litebert.normal)", answers) == [normal(answer) for answer in answers]


CALCULATED = [
    {"V": 30_000, "D": 768, "E": 128, "L": 12, "P": 512, "sharing": "all"},
    {"V": 30_000, "D": 4096, "E": 128, "L": 12, "P": 512, "sharing": "all"},
    {"V": 30_000, "D": 768, "E": 768, "L": 12, "P": 512, "sharing": "attention"},
    {"V": 30_522, "D": 1024, "E": 64, "L": 24, "P": 512, "sharing": "ffn"},
    {"V": 500, "D": 128, "E": 64, "L": 4, "P": 64, "sharing": "none"},
    {"V": 97, "D": 12, "E": 7, "L": 3, "P": 11, "sharing": "all"},
]


@pytest.mark.parametrize("sizes", CALCULATED, ids=lambda sizes: f"V{sizes['V']}-{sizes['sharing']}")
def test_the_calculator_agrees_with_the_formulas_of_lesson_12(page: Any, sizes: dict[str, Any]) -> None:
    from solutions.counting import break_even_embedding, parameter_table

    page.goto(page.site + "playground.html")
    for name in ("V", "D", "E", "L", "P"):
        page.fill(f"#figure-calculator-{name}", str(sizes[name]))
    page.select_option("#figure-calculator-sharing", sizes["sharing"])
    common = {"vocab_size": sizes["V"], "max_len": sizes["P"], "d_model": sizes["D"], "n_layers": sizes["L"]}
    bert = parameter_table(ModelConfig(**common, n_heads=1), factorized=False)
    config = ModelConfig(**common, n_heads=1, d_embedding=sizes["E"], sharing=sizes["sharing"])
    albert = parameter_table(config, factorized=True)
    for model, expected in (("BERT", bert), ("ALBERT", albert)):
        shown = {
            row: page.inner_text(f'tr[data-row="{row}"] [data-model="{model}"]').replace(",", "")
            for row in expected
        }
        assert shown == {row: str(count) for row, count in expected.items()}
    limit = float(page.inner_text('[data-value="break-even"]'))
    assert limit == pytest.approx(break_even_embedding(sizes["V"], sizes["D"]), abs=0.05)


def test_the_shares_of_masking_converge(page: Any) -> None:
    page.goto(page.site + "playground.html")
    for _ in range(5):
        page.get_by_role("button", name="Draw 1,000 times").click()
    cells = page.locator("#figure-masking [data-shares] tbody tr td:nth-child(3)").all_inner_texts()
    shares = [float(cell.removesuffix(" %")) for cell in cells]
    assert shares == pytest.approx([15, 80, 10, 10], abs=1.0)


def test_the_attention_picture_shows_the_recorded_shares(page: Any) -> None:
    """For a choice of model, layer, head and token: words, table and map have the row of the results file."""
    values = load("attention")["values"]
    page.goto(page.site + "experiments.html")
    figure = page.locator("#figure-attention")
    for model, layer, head, at in (("BERT", 0, 2, values["hidden"]["place"]), ("ALBERT", 1, 3, 5)):
        figure.get_by_label("Model", exact=True).select_option(model)
        figure.get_by_label("Layer", exact=True).select_option(str(layer))
        figure.get_by_label("Head", exact=True).select_option(str(head))
        figure.get_by_label("Token that looks").select_option(str(at))
        row = values["models"][model]["maps"][layer][head][at]
        expected = [f"{int(row[k : k + 2], 36) / 10:.1f} %" for k in range(0, len(row), 2)]
        assert figure.locator("[data-share]").all_text_contents() == expected
        assert figure.locator(".lb-token__label").all_text_contents() == expected
        assert f"{model}, layer {layer + 1}, head {head + 1}" in figure.locator("canvas").get_attribute(
            "aria-label"
        )
        assert values["models"][model]["guesses"][0][0] in figure.locator("[data-guesses]").inner_text()
        darkest = figure.locator("canvas").evaluate(
            "(node, at) => { const row = node.getContext('2d').getImageData(0, at, node.width, 1).data;"
            "  const all = Array.from({ length: node.width }, (_, k) => row[4 * k + 3]);"
            "  return all.indexOf(Math.max(...all)); }",
            at,
        )
        assert expected[darkest] == max(expected, key=lambda text: float(text.split()[0]))


def test_a_shape_letter_is_explained_on_focus(page: Any) -> None:
    page.goto(page.site + LESSON)
    letter = page.locator("abbr[tabindex]", has_text="B").first
    letter.focus()
    shown = letter.evaluate("node => getComputedStyle(node, '::after').content")
    assert "batch" in shown


def test_the_printed_page_shows_text_and_hides_controls(page: Any) -> None:
    page.emulate_media(media="print")
    page.goto(page.site + LESSON)
    assert page.locator(".lb-question legend").first.is_visible()
    assert not page.get_by_role("button", name="Check").first.is_visible()
    assert not page.locator(".md-sidebar").first.is_visible()
    assert page.locator("details.hint p").nth(1).is_visible()
