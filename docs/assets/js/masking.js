// Masking played on a sentence: draw again, and see the shares converge to 15 % and 80/10/10.
"use strict";

(() => {
  const MASKED = ["[MASK]", "random word", "unchanged"];
  const SPECIAL = new Set(["[CLS]", "[SEP]", "[PAD]", "[MASK]", "[UNK]"]);

  // A small seeded generator (mulberry32): equal seeds give equal draws on every machine.
  function generator(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let x = Math.imul(state ^ (state >>> 15), state | 1);
      x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
      return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
    };
  }

  // One draw: for each token null (not selected) or { kind, token }.
  function draw(tokens, words, random) {
    return tokens.map((token) => {
      if (SPECIAL.has(token) || random() >= 0.15) return null;
      const share = random();
      if (share < 0.8) return { kind: 0, token: "[MASK]" };
      if (share < 0.9) return { kind: 1, token: words[Math.floor(random() * words.length)] };
      return { kind: 2, token };
    });
  }

  const escapeHtml = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "-");

  function tokensHtml(tokens, marks) {
    const items = tokens.map((token, at) => {
      const mark = marks[at];
      if (!mark) return `<li class="lb-token">${escapeHtml(token)}</li>`;
      return `<li class="lb-token lb-token--${mark.kind}"><span class="lb-token__now">${escapeHtml(mark.token)}</span>
        <span class="lb-token__label">${MASKED[mark.kind]}; label ${escapeHtml(token)}</span></li>`;
    });
    return `<ol class="lb-tokens" aria-label="The sentence after this draw">${items.join("")}</ol>`;
  }

  function sharesHtml({ seen, kinds }) {
    const selected = kinds[0] + kinds[1] + kinds[2];
    const row = (name, expected, part, whole) =>
      `<tr><th scope="row">${name}</th><td>${expected}</td><td>${percent(part, whole)}</td><td>${part}</td></tr>`;
    return `<div class="lb-scroll"><table><caption>Shares so far, ${seen.toLocaleString("en-US")} maskable tokens
      seen</caption><thead><tr><th scope="col">Event</th><th scope="col">Expected</th><th scope="col">Seen</th>
      <th scope="col">Count</th></tr></thead><tbody>
      ${row("selected, of all", "15.0 %", selected, seen)}
      ${row("[MASK], of selected", "80.0 %", kinds[0], selected)}
      ${row("random word, of selected", "10.0 %", kinds[1], selected)}
      ${row("unchanged, of selected", "10.0 %", kinds[2], selected)}</tbody></table></div>`;
  }

  function play(figure) {
    const stage = figure.querySelector(".lb-figure__stage");
    const sentence = figure.dataset.sentence || "[CLS] the baker opens the oven and takes out the bread [SEP]";
    const words = (figure.dataset.words || sentence).split(/\s+/).filter((word) => !SPECIAL.has(word));
    const name = figure.id;
    stage.innerHTML = `<p class="lb-answer"><label for="${name}-sentence">Sentence</label>
      <input type="text" id="${name}-sentence" autocomplete="off"></p><div data-tokens></div>
      <p><button type="button" class="lb-button" data-draws="1">Draw again</button>
      <button type="button" class="lb-button lb-button--quiet" data-draws="1000">Draw 1,000 times</button>
      <button type="button" class="lb-button lb-button--quiet" data-draws="0">Start over</button></p>
      <p role="status" class="lb-verdict"></p><div data-shares></div>`;
    const input = stage.querySelector("input");
    input.value = sentence;
    const random = generator(Number(figure.dataset.seed || 1));
    let counts = { seen: 0, kinds: [0, 0, 0] };

    function go(draws) {
      if (!draws) counts = { seen: 0, kinds: [0, 0, 0] };
      const tokens = input.value.split(/\s+/).filter(Boolean).slice(0, 40);
      let marks = tokens.map(() => null);
      for (let count = 0; count < draws; count += 1) {
        marks = draw(tokens, words, random);
        counts.seen += tokens.filter((token) => !SPECIAL.has(token)).length;
        for (const mark of marks) if (mark) counts.kinds[mark.kind] += 1;
      }
      const selected = marks.filter(Boolean).length;
      stage.querySelector("[data-tokens]").innerHTML = tokensHtml(tokens, marks);
      stage.querySelector("[data-shares]").innerHTML = sharesHtml(counts);
      stage.querySelector('[role="status"]').textContent = draws
        ? `This draw selected ${selected} of ${tokens.length} tokens.` : "Nothing drawn yet.";
      litebert.reachScrollers();
    }
    for (const button of stage.querySelectorAll("button")) {
      button.addEventListener("click", () => go(Number(button.dataset.draws)));
    }
    input.addEventListener("input", () => go(0));
    go(1);
  }

  for (const figure of document.querySelectorAll('.lb-figure[data-kind="masking"]')) play(figure);
})();
