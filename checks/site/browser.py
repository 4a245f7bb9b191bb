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
  const lean = { iframes: false, xpath: false, ancestry: false, preload: false };
  const result = await axe.run(document, { runOnly: tags, resultTypes: ["violations"], ...lean });
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
    """Each worker goes from page to page in one tab: what the browser has read and compiled it keeps."""
    from playwright.async_api import async_playwright

    waiting, found = list(reversed(names)), {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)

        async def work() -> None:
            context = await browser.new_context(viewport={"width": 1280, "height": 900})
            tab = Tab(await context.new_page(), address)
            while waiting:
                name = waiting.pop()
                found[name] = await tab.visit(name, axe)
            await context.close()

        await asyncio.gather(*(work() for _ in range(workers)))
        await browser.close()
    return found


class Tab:
    """A page of the browser that listens to what the site's pages say and ask for."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.console: list[str] = []
        self.foreign: list[str] = []
        page.on("console", self.hear)
        page.on("request", lambda r: self.foreign.append(r.url) if is_foreign(r.url, address) else None)
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("requestfailed", self.miss)

    def miss(self, request: Any) -> None:
        """Keeps what could not be loaded, but for what was still under way when the page was left."""
        if request.failure != "net::ERR_ABORTED":
            self.console.append(f"failed: {request.url}")

    def hear(self, message: Any) -> None:
        """Keeps errors and warnings."""
        if message.type in ("error", "warning"):
            self.console.append(message.text)

    async def visit(self, name: str, axe: bool) -> Visit:
        """One page as it opens for a new reader, and with `axe` in its four looks."""
        self.console.clear()
        self.foreign.clear()
        await self.page.set_viewport_size({"width": 1280, "height": 900})
        await self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        await self.page.goto(self.address + name, wait_until="load")
        violations, overflow = await look(self.page) if axe else ([], 0)
        unrendered = await self.page.evaluate(UNRENDERED)
        await self.page.evaluate("localStorage.clear()")  # the next page is a new reader's
        return Visit(name, violations, [*self.console], [*self.foreign], unrendered, overflow)


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
