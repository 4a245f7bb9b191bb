// Attention maps of trained models: choose a model, a layer, a head and the token that looks.
"use strict";

(() => {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;

  // A recorded row: two digits to the base 36 a share, in thousandths.
  function unpack(row) {
    return row.match(/../g).map((digits) => parseInt(digits, 36) / 1000);
  }

  function select(name, label, options) {
    const rows = options.map(([value, text]) => `<option value="${value}">${text}</option>`).join("");
    const key = label.toLowerCase().replaceAll(" ", "-");
    return `<div><label for="${name}-${key}">${label}</label><select id="${name}-${key}">${rows}</select></div>`;
  }

  const counted = (word, count) => Array.from({ length: count }, (_, k) => [k, `${word} ${k + 1}`]);

  function frame(name, data) {
    const maps = Object.values(data.models)[0].maps;
    const tokens = data.tokens.map((token, k) => [k, `${k}: ${token}`]);
    return `<form class="lb-controls">${select(name, "Model", Object.keys(data.models).map((key) => [key, key]))}
      ${select(name, "Layer", counted("layer", maps.length))}${select(name, "Head", counted("head", maps[0].length))}
      ${select(name, "Token that looks", tokens)}</form>
      <p data-guesses></p><ol class="lb-tokens" aria-label="The pair, with the share that each token gets"></ol>
      <p>The whole map: a row for each token that looks, a column for each token looked at.</p>
      <div class="lb-map"><canvas width="${tokens.length}" height="${tokens.length}" role="img"></canvas>
      <span class="lb-map__row"></span></div>
      <details><summary>The chosen row as a table</summary><div class="lb-scroll"><table><thead><tr>
      <th scope="col">Place</th><th scope="col">Token</th><th scope="col">Share</th></tr></thead><tbody></tbody>
      </table></div></details>`;
  }

  // The layer and the head in which one token looks at another the most.
  function sharpest(maps, at) {
    const all = maps.flatMap((heads, layer) =>
      heads.map((map, head) => ({ most: Math.max(...unpack(map[at])), place: [layer, head] })));
    return all.sort((a, b) => b.most - a.most)[0].place;
  }

  function paint(canvas, map) {
    const context = canvas.getContext("2d");
    const [red, green, blue] = getComputedStyle(canvas).color.match(/[\d.]+/g).map(Number);
    const size = canvas.width;
    const picture = context.createImageData(size, size);
    map.flat().forEach((share, k) => picture.data.set([red, green, blue, 255 * Math.sqrt(share)], 4 * k));
    context.putImageData(picture, 0, 0);
  }

  for (const figure of document.querySelectorAll('.lb-figure[data-kind="attention"]')) {
    const stage = figure.querySelector(".lb-figure__stage");
    const data = JSON.parse(stage.querySelector("script").textContent);
    stage.innerHTML = frame(figure.id, data);
    const [model, layer, head, looking] = stage.querySelectorAll("select");
    const canvas = stage.querySelector("canvas");
    [layer.value, head.value] = sharpest(data.models[model.value].maps, data.hidden.place);
    looking.value = data.hidden.place;

    const update = () => {
      const { guesses, maps } = data.models[model.value];
      const map = maps[layer.value][head.value].map(unpack);
      const at = Number(looking.value);
      const most = Math.max(...map[at]);
      const place = `${model.value}, layer ${Number(layer.value) + 1}, head ${Number(head.value) + 1}`;
      stage.querySelector("[data-guesses]").textContent = `${model.value} on the hidden word ("${data.hidden.word}"): ` +
        `${guesses.map(([word, share]) => `${word} ${percent(share)}`).join(", ")}.`;
      stage.querySelector(".lb-tokens").innerHTML = data.tokens.map((token, k) =>
        `<li class="lb-token${k === at ? " lb-token--0" : ""}"><span class="lb-token__now">${token}</span>
        <span class="lb-token__share" style="width:${(100 * map[at][k]) / most}%"></span>
        <span class="lb-token__label">${percent(map[at][k])}</span></li>`).join("");
      stage.querySelector("tbody").innerHTML = data.tokens.map((token, k) =>
        `<tr><th scope="row">${k}</th><td>${token}</td><td data-share>${percent(map[at][k])}</td></tr>`).join("");
      canvas.setAttribute("aria-label", `Attention map of ${place}; token ${at}, "${data.tokens[at]}", looks most at ` +
        `"${data.tokens[map[at].indexOf(most)]}" (${percent(most)}). The chosen row is in the table.`);
      stage.querySelector(".lb-map__row").style.top = `${(100 * at) / map.length}%`;
      stage.querySelector(".lb-map__row").style.height = `${100 / map.length}%`;
      paint(canvas, map);
      litebert.reachScrollers();
    };
    stage.addEventListener("change", update);
    stage.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    canvas.addEventListener("click", (event) => {
      looking.value = Math.floor((event.offsetY / canvas.clientHeight) * canvas.height);
      update();
    });
    new MutationObserver(update).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
    update();
  }
})();
