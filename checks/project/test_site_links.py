"""The built site's links: every page, file and anchor inside it exists, and nothing is loaded from elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from checks.site.built import built_site, pages

LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The links, loaded files and anchors of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.twice: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects one element."""
        values = {name: value or "" for name, value in attrs}
        name = values.get("id")
        if name:
            self.twice += [name] if name in self.anchors else []
            self.anchors.add(name)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADS and LOADS[tag] in values:
            self.loads.append(values[LOADS[tag]])


@pytest.fixture(scope="module")
def parsed() -> dict[Path, Page]:
    """Every built page. The 404 page is made for the site's root on a server and links from there."""
    folder = built_site()
    return {folder / name: Page(folder / name) for name in pages(folder) if name != "404.html"}


def is_inside(link: str) -> bool:
    """Whether a link stays in the site."""
    parts = urlsplit(link)
    return not parts.scheme and not parts.netloc


def test_every_internal_link_and_anchor_exists(parsed: dict[Path, Page]) -> None:
    broken = []
    for path, page in parsed.items():
        for link in filter(is_inside, page.links):
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchors = parsed[target].anchors if target in parsed else set()
            if not target.exists() or (
                parts.fragment and target in parsed and unquote(parts.fragment) not in anchors
            ):
                broken.append(f"{path.name}: {link}")
    assert broken == []


def test_every_loaded_file_is_in_the_site(parsed: dict[Path, Page]) -> None:
    missing = [
        f"{path.name}: {load}"
        for path, page in parsed.items()
        for load in page.loads
        if not load.startswith("data:")
        and (not is_inside(load) or not (path.parent / unquote(urlsplit(load).path)).resolve().exists())
    ]
    assert missing == []


def test_no_page_uses_an_id_twice(parsed: dict[Path, Page]) -> None:
    assert {path.name: page.twice for path, page in parsed.items() if page.twice} == {}


def test_links_to_other_hosts_are_encrypted(parsed: dict[Path, Page]) -> None:
    plain = [link for page in parsed.values() for link in page.links if link.startswith("http://")]
    assert plain == []


def test_the_site_weighs_less_than_six_megabytes() -> None:
    weight = sum(
        path.stat().st_size for path in built_site().rglob("*") if path.is_file() and path.suffix != ".map"
    )
    assert weight < 6e6
