"use strict";
// Sortable tables, a theme switch, and charts drawn from the data in this page.
const SVG = "http://www.w3.org/2000/svg", W = 760, H = 360, LEFT = 56, RIGHT = 16, TOP = 12, BOTTOM = 66;
const make = (parent, name, attributes, text) => {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
};
const element = (parent, name, text) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
};
const shown = (value) => Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(+value.toPrecision(4));

document.getElementById("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});

for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    button.title = "Sort by this column";
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = cell.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].textContent;
      const number = (text) => parseFloat(text.replace(/[^0-9.eE+-]/g, " ").trim().split(" ")[0].replace(/,/g, ""));
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const [x, y] = [number(key(a).replace(/,/g, "")), number(key(b).replace(/,/g, ""))];
        const order = Number.isNaN(x) || Number.isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
        return up ? order : -order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}

function ranges(chart) {
  const xs = chart.series.flatMap((s) => s.x);
  const ys = [...Object.values(chart.rules), ...chart.series.flatMap((s) => [...s.y, ...(s.low || []), ...(s.high || [])])];
  let [low, high] = [Math.min(...ys), Math.max(...ys)];
  const room = 0.06 * (high - low) || 0.5;
  low = chart.from_zero || (low >= 0 && low < room) ? 0 : low - room;
  const edge = chart.categories ? [-0.6, chart.categories.length - 0.4] : [Math.min(...xs), Math.max(...xs)];
  return { x: edge[0] === edge[1] ? [edge[0] - 1, edge[1] + 1] : edge, y: [low, high + room] };
}

function steps([low, high], count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
  const out = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) out.push(value);
  return out;
}

function drawChart(figure, chart) {
  const svg = make(figure, "svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${chart.title}: ${chart.ylabel} by ${chart.xlabel}` });
  const tip = element(figure, "div");
  tip.className = "tip";
  tip.hidden = true;
  const hidden = new Set();
  const range = ranges(chart);
  const X = (v) => LEFT + (v - range.x[0]) / (range.x[1] - range.x[0]) * (W - LEFT - RIGHT);
  const Y = (v) => H - BOTTOM - (v - range.y[0]) / (range.y[1] - range.y[0]) * (H - TOP - BOTTOM);
  const bars = chart.series.filter((s) => s.mark === "bar");
  const place = (s, k) => s.mark === "bar" ? s.x[k] + (bars.indexOf(s) - (bars.length - 1) / 2) * 0.8 / bars.length : s.x[k];

  function paint() {
    svg.replaceChildren();
    for (const value of steps(range.y, 5)) {
      make(svg, "line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: Y(value), y2: Y(value) });
      make(svg, "text", { x: LEFT - 6, y: Y(value) + 4, "text-anchor": "end" }, shown(value));
    }
    const marks = chart.categories ? chart.categories.map((_, k) => k) : steps(range.x, 7);
    for (const value of marks) {
      const lines = chart.categories ? chart.categories[value].split(/(?<=,) /) : [shown(value)];
      const label = make(svg, "text", { x: X(value), y: H - BOTTOM + 16, "text-anchor": "middle" });
      lines.forEach((line, k) => make(label, "tspan", { x: X(value), dy: k ? 13 : 0 }, line));
    }
    make(svg, "text", { x: (LEFT + W - RIGHT) / 2, y: H - 8, "text-anchor": "middle" }, chart.xlabel);
    make(svg, "text", { x: 14, y: (H - BOTTOM) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(H - BOTTOM) / 2})` }, chart.ylabel);
    chart.series.forEach((s, index) => {
      if (hidden.has(index)) return;
      const colour = s.mark === "tick" ? "var(--text)" : `var(--c${index % 8})`;
      if (s.mark === "line" || s.mark === "dashed")
        make(svg, "polyline", { points: s.x.map((x, k) => `${X(x)},${Y(s.y[k])}`).join(" "), fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": s.mark === "dashed" ? "6 4" : "none" });
      s.y.forEach((y, k) => {
        const at = place(s, k), wide = 0.8 / Math.max(bars.length, 1) * 0.46;
        if (s.mark === "bar")
          make(svg, "rect", { x: X(at - wide), width: X(at + wide) - X(at - wide), y: Math.min(Y(y), Y(Math.max(range.y[0], 0))), height: Math.abs(Y(y) - Y(Math.max(range.y[0], 0))), fill: colour });
        else if (s.mark === "tick")
          make(svg, "line", { x1: X(at - 0.45), x2: X(at + 0.45), y1: Y(y), y2: Y(y), stroke: colour, "stroke-width": 2 });
        else if (s.x.length < 40) make(svg, "circle", { cx: X(at), cy: Y(y), r: 3, fill: colour });
        if (s.low) make(svg, "line", { x1: X(at), x2: X(at), y1: Y(s.low[k]), y2: Y(s.high[k]), stroke: "var(--text)" });
      });
    });
    for (const [name, value] of Object.entries(chart.rules)) {
      make(svg, "line", { class: "rule", x1: LEFT, x2: W - RIGHT, y1: Y(value), y2: Y(value) });
      make(svg, "text", { x: W - RIGHT, y: Y(value) - 4, "text-anchor": "end" }, `${name} ${shown(value)}`);
    }
  }

  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), scale = W / box.width;
    const [px, py] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = null;
    chart.series.forEach((s, index) => {
      if (hidden.has(index)) return;
      s.y.forEach((y, k) => {
        const away = Math.hypot(X(place(s, k)) - px, (Y(y) - py) / 3);
        if (!best || away < best.away) best = { away, s, k, y };
      });
    });
    if (!best || best.away > 60) { tip.hidden = true; return; }
    const { s, k, y } = best;
    const where = chart.categories ? chart.categories[s.x[k]] : `${chart.xlabel} ${shown(s.x[k])}`;
    tip.textContent = `${s.name}, ${where}: ${shown(y)}` + (s.low ? ` (${shown(s.low[k])} to ${shown(s.high[k])})` : "");
    tip.hidden = false;
    const [x, width] = [X(place(s, k)) / scale, figure.clientWidth];
    tip.style.left = `${Math.max(0, Math.min(x + 8, width - tip.offsetWidth))}px`;
    tip.style.top = `${svg.offsetTop + Y(y) / scale - tip.offsetHeight - 8}px`;
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });

  const legend = element(figure, "div");
  legend.className = "legend";
  chart.series.forEach((s, index) => {
    const button = element(legend, "button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    element(button, "i").style.background = s.mark === "tick" ? "var(--text)" : `var(--c${index % 8})`;
    button.append(s.name);
    button.addEventListener("click", () => {
      if (!hidden.delete(index)) hidden.add(index);
      button.setAttribute("aria-pressed", String(!hidden.has(index)));
      paint();
    });
  });
  paint();
}

const CHARTS = JSON.parse(document.getElementById("charts").textContent);
for (const figure of document.querySelectorAll("figure[data-chart]")) drawChart(figure, CHARTS[figure.dataset.chart]);
