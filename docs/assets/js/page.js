// Every page: mathematics, and what the keyboard must reach: regions that scroll sideways, menu and search.
"use strict";

window.litebert = window.litebert || {};

litebert.renderMath = (root) => {
  for (const place of root.querySelectorAll(".arithmatex")) {
    if (place.querySelector(".katex")) continue;
    const source = place.textContent.trim();
    katex.render(source.slice(2, -2), place, { displayMode: source.startsWith("\\["), throwOnError: true });
  }
};

litebert.reachScrollers = () => {
  const names = { TABLE: "Table", PRE: "Code", DIV: "Formula" };
  const places = document.querySelectorAll(
    ".md-typeset__table, .md-typeset__scrollwrap, div.arithmatex, .lb-progress__table, .lb-scroll, .md-typeset pre > code",
  );
  for (const place of places) {
    const scrolls = place.scrollWidth > place.clientWidth + 1;
    if (scrolls && !place.hasAttribute("tabindex")) {
      place.tabIndex = 0;
      if (place.tagName !== "CODE") {
        place.setAttribute("role", "region");
        place.setAttribute("aria-label", `${names[(place.querySelector("table") || place).tagName]}, scrolls sideways`);
      }
      place.dataset.lbScrolls = "yes";
    } else if (!scrolls && place.dataset.lbScrolls) {
      for (const name of ["tabindex", "role", "aria-label", "data-lb-scrolls"]) place.removeAttribute(name);
    }
  }
};

// The theme opens its menu and its search by labels; a keyboard reaches them as buttons.
for (const [toggle, name] of [["__drawer", "Menu"], ["__search", "Search"]]) {
  const label = document.querySelector(`label.md-header__button[for=${toggle}]`);
  if (!label) continue;
  Object.entries({ tabindex: 0, role: "button", "aria-label": name }).forEach((pair) => label.setAttribute(...pair));
  label.addEventListener("keydown", (event) => {
    if (event.key !== " ") return; // the theme itself clicks a label on Enter
    event.preventDefault();
    label.click();
  });
}

litebert.renderMath(document);
addEventListener("load", litebert.reachScrollers);
addEventListener("resize", litebert.reachScrollers);
document.addEventListener("toggle", litebert.reachScrollers, true);
