// The parameter calculator: BERT beside ALBERT for any sizes, with the papers' presets.
"use strict";

(() => {
  const PRESETS = {
    "BERT / ALBERT base": { V: 30000, D: 768, E: 128, L: 12, P: 512 },
    "BERT / ALBERT large": { V: 30000, D: 1024, E: 128, L: 24, P: 512 },
    "ALBERT xlarge": { V: 30000, D: 2048, E: 128, L: 24, P: 512 },
    "ALBERT xxlarge": { V: 30000, D: 4096, E: 128, L: 12, P: 512 },
    "bert-base-uncased": { V: 30522, D: 768, E: 128, L: 12, P: 512 },
    "Quick capstone": { V: 500, D: 128, E: 64, L: 4, P: 64 },
  };
  const FIELDS = {
    V: "Vocabulary V", D: "Model width D", E: "Embedding width E", L: "Layers L", P: "Longest sequence",
  };
  const SHARING = { all: "all of a layer (ALBERT)", attention: "attention", ffn: "feed-forward", none: "nothing" };
  const ROWS = {
    word: "Word table", position: "Position table", segment: "Segment table", embedding_norm: "Embedding norm",
    projection: "Projection E to D", encoder: "Encoder", pooler: "Pooler", mlm_head: "MLM head, tied",
    sentence_head: "Sentence head", total: "Total",
  };
  const figures = (value) => value.toLocaleString("en-US");

  function controls(name) {
    const options = (names) => names.map(([value, text]) => `<option value="${value}">${text}</option>`).join("");
    const inputs = Object.entries(FIELDS).map(([key, text]) => `<div><label for="${name}-${key}">${text}</label>
      <input id="${name}-${key}" name="${key}" type="number" min="1" max="1000000" step="1" required></div>`).join("");
    return `<form class="lb-controls" novalidate>
      <div><label for="${name}-preset">Preset</label><select id="${name}-preset" name="preset">
        ${options(Object.keys(PRESETS).map((key) => [key, key]))}<option value="">own sizes</option></select></div>
      ${inputs}
      <div><label for="${name}-sharing">ALBERT shares</label>
        <select id="${name}-sharing" name="sharing">${options(Object.entries(SHARING))}</select></div></form>`;
  }

  function bars(bert, albert) {
    const widest = Math.max(bert.total, albert.total);
    const part = (name, kind, value) =>
      `<span class="lb-bar__${kind}" style="width:${(100 * value) / widest}%"></span>`;
    const line = (name, rows) => {
      const embeddings = rows.word + rows.position + rows.segment + rows.embedding_norm + rows.projection;
      const heads = rows.pooler + rows.mlm_head + rows.sentence_head;
      return `<div class="lb-bar"><span class="lb-bar__name">${name}</span><span class="lb-bar__line">
        ${part(name, "embeddings", embeddings)}${part(name, "encoder", rows.encoder)}${part(name, "heads", heads)}
        </span></div>`;
    };
    return `<div aria-hidden="true">${line("BERT", bert)}${line("ALBERT", albert)}
      <p class="lb-bar__legend"><span class="lb-bar__embeddings"></span> embeddings
      <span class="lb-bar__encoder"></span> encoder <span class="lb-bar__heads"></span> pooler and heads</p></div>`;
  }

  function tableHtml(bert, albert) {
    const rows = Object.entries(ROWS).map(([key, text]) => `<tr data-row="${key}"><th scope="row">${text}</th>
      <td data-model="BERT">${figures(bert[key])}</td><td data-model="ALBERT">${figures(albert[key])}</td></tr>`);
    return `<div class="lb-scroll"><table><caption>Parameters by component</caption><thead><tr><th scope="col">Part</th>
      <th scope="col">BERT</th><th scope="col">ALBERT</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
  }

  function verdict(config, bert, albert) {
    const limit = litebert.counting.breakEven(config.V, config.D);
    const pays = config.E < limit;
    return `ALBERT has ${figures(albert.total)} parameters, ${(bert.total / albert.total).toFixed(2)} times fewer than
      BERT's ${figures(bert.total)}. Factorizing the word table saves while E < V·D/(V+D) =
      <span data-value="break-even">${limit.toFixed(1)}</span>: at E = ${config.E} it
      ${pays ? "does" : "does not"}. The arithmetic of a step hardly changes: every layer still runs.`;
  }

  for (const figure of document.querySelectorAll('.lb-figure[data-kind="calculator"]')) {
    const stage = figure.querySelector(".lb-figure__stage");
    stage.innerHTML = `${controls(figure.id)}<p class="lb-verdict" role="status"></p><div data-result></div>`;
    const form = stage.querySelector("form");

    const update = () => {
      const sizes = Object.fromEntries(Object.keys(FIELDS).map((key) => [key, Number(form.elements[key].value)]));
      const status = stage.querySelector('[role="status"]');
      const faulty = Object.keys(sizes).filter((key) => !(Number.isInteger(sizes[key]) && sizes[key] >= 1));
      for (const key of Object.keys(FIELDS)) {
        form.elements[key].toggleAttribute("aria-invalid", faulty.includes(key));
      }
      if (faulty.length) {
        status.textContent = `${FIELDS[faulty[0]]}: expected a whole number of 1 or more.`;
        return;
      }
      const config = { ...sizes, S: 2, F: 4 * sizes.D, sharing: form.elements.sharing.value };
      const bert = litebert.counting.table({ ...config, sharing: "none" }, false);
      const albert = litebert.counting.table(config, true);
      status.innerHTML = verdict(config, bert, albert);
      stage.querySelector("[data-result]").innerHTML = bars(bert, albert) + tableHtml(bert, albert);
      litebert.reachScrollers();
    };
    const preset = (name) => {
      for (const [key, value] of Object.entries(PRESETS[name])) form.elements[key].value = value;
    };
    form.addEventListener("input", (event) => {
      if (event.target.name === "preset" && event.target.value) preset(event.target.value);
      else if (event.target.name in FIELDS) form.elements.preset.value = "";
      update();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    preset(Object.keys(PRESETS)[0]);
    update();
  }
})();
