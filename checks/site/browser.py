"""What Chromium sees of the site: accessibility, errors, requests, mathematics, page by page."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from checks.curriculum import ROOT

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = ROOT / "checks" / "site" / "vendor" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN_AXE = """async (tags) => {
  const result = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
  const why = (node) => (node.any[0] || node.all[0] || node.none[0] || { message: "" }).message;
  return result.violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${why(node) || rule.help}`));
}"""
STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"
OPEN_ALL = """() => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  document.querySelectorAll(".lb-question").forEach((form) => {
    const choice = form.querySelector(".lb-option input");
    if (choice) choice.checked = true;
    else form.querySelector(".lb-answer input, .lb-answer textarea").value = "1";
    form.requestSubmit();
  });
}"""
UNRENDERED = """() => [...document.querySelectorAll(".arithmatex")]
  .filter((place) => !place.querySelector(".katex-html") || place.querySelector(".katex-error")).length"""
HAS_PALETTE = "name => document.body.dataset.mdColorScheme === name"
LOOKS = (
    ("light", "default", 1280),
    ("dark", "slate", 1280),
    ("dark", "slate", 390),
    ("light", "default", 390),
)
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Visit(NamedTuple):
    """One page as Chromium found it."""

    page: str
    violations: list[str]
    console: list[str]
    foreign: list[str]
    unrendered: int
    overflow: int


def chromium_is_here() -> bool:
    """Whether Chromium can be started."""
    return shutil.which(CHROMIUM) is not None


def survey(address: str, names: list[str], workers: int = 2, axe: bool = True) -> dict[str, Visit]:
    """Visits every page; with `axe` in its four looks: light and dark, wide and narrow."""
    return asyncio.run(_survey(address, names, workers, axe))


async def _survey(address: str, names: list[str], workers: int, axe: bool) -> dict[str, Visit]:
    from playwright.async_api import async_playwright

    waiting, found = list(reversed(names)), {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)

        async def work() -> None:
            while waiting:
                name = waiting.pop()
                context = await browser.new_context(viewport={"width": 1280, "height": 900})
                found[name] = await visit(await context.new_page(), address, name, axe)
                await context.close()

        await asyncio.gather(*(work() for _ in range(workers)))
        await browser.close()
    return found


async def visit(page: Any, address: str, name: str, axe: bool) -> Visit:
    """One page as it opens, and with `axe` in its four looks."""
    console: list[str] = []
    foreign: list[str] = []

    def hear(message: Any) -> None:
        if message.type in ("error", "warning"):
            console.append(message.text)

    def see(request: Any) -> None:
        if is_foreign(request.url, address):
            foreign.append(request.url)

    page.on("console", hear)
    page.on("request", see)
    page.on("pageerror", lambda error: console.append(str(error)))
    page.on("requestfailed", lambda request: console.append(f"failed: {request.url}"))
    await page.emulate_media(color_scheme="light", reduced_motion="reduce")
    await page.goto(address + name, wait_until="load")
    violations, overflow = await look(page) if axe else ([], 0)
    return Visit(name, violations, console, foreign, await page.evaluate(UNRENDERED), overflow)


async def look(page: Any) -> tuple[list[str], int]:
    """Violations and sideways overflow: wide as the page opens, narrow with all answers and details open."""
    violations: list[str] = []
    overflow = 0
    await page.add_style_tag(content=STILL)
    await page.evaluate(AXE.read_text(encoding="utf-8") + ";0")
    for scheme, palette, width in LOOKS:
        if (scheme, width) == ("dark", 390):
            await page.evaluate(OPEN_ALL)
        await page.set_viewport_size({"width": width, "height": 900})
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        await page.wait_for_function(HAS_PALETTE, arg=palette, timeout=5000)
        violations += [f"{scheme} {width}: {text}" for text in await page.evaluate(RUN_AXE, TAGS)]
        overflow = max(overflow, await page.evaluate(OVERFLOW))
    return violations, overflow


def is_foreign(url: str, address: str) -> bool:
    """Whether a request leaves the site."""
    return not url.startswith((address, "data:", "blob:", "about:"))


def as_text(visits: dict[str, Visit]) -> str:
    """A survey as JSON, for a person to read."""
    return json.dumps([visit._asdict() for visit in visits.values()], indent=1)


if __name__ == "__main__":
    from checks.site.built import built_site, pages, served_site

    Path("survey.json").write_text(as_text(survey(served_site(), pages(built_site()))), encoding="utf-8")
