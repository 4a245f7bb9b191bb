// Quizzes: check an answer, explain every option, remember it. The forms come from checks/site/quiz_html.py.
"use strict";

(() => {
  const store = litebert.store;

  // The same as `normal` in checks/site/proofs.py.
  function normal(answer) {
    let text = answer.toLowerCase().replace(/\u2212/g, "-").replace(/"/g, "'");
    text = text.replace(/(?<=\p{L})-(?=\p{L})/gu, " ");
    text = text.split(/\s+/).filter(Boolean).join(" ").replace(/^[ .]+|[ .]+$/g, "");
    return text.replace(/ ?([,:()[\]]) ?/g, "$1");
  }

  function number(answer) {
    const text = answer.trim().replace(/\u2212/g, "-").replace(/,(?=\d{3}\b)/g, "").replace(/\s*%$/, "");
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
  }

  const decode = (key) => {
    const bytes = Uint8Array.from(atob(key), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const isChoice = (form) => ["single", "multiple", "truth"].includes(form.dataset.type);

  function given(form) {
    if (isChoice(form)) return [...form.querySelectorAll("input:checked")].map((input) => Number(input.value));
    return form.querySelector(".lb-answer input, .lb-answer textarea").value;
  }

  function isRight(form, key, answer) {
    if (isChoice(form)) return String([...answer].sort()) === String([...key.right].sort());
    if (form.dataset.type === "numeric") return Math.abs(number(answer) - Number(key.shown)) <= key.tolerance + 1e-9;
    return key.accept.includes(normal(answer));
  }

  function explainChoices(form, key, answer) {
    for (const option of form.querySelectorAll(".lb-option")) {
      const index = Number(option.dataset.option);
      const right = key.right.includes(index);
      const chosen = answer.includes(index);
      option.classList.toggle("lb-option--right", right);
      option.classList.toggle("lb-option--missed", right !== chosen);
      const why = option.querySelector(".lb-option__why");
      why.innerHTML = `<strong>${right ? "Right." : "Not this one."}</strong> ${key.why[index]}`;
      why.hidden = false;
    }
  }

  function explainText(form, key, answer) {
    const same = form.dataset.type === "numeric"
      ? (form_) => Math.abs(number(form_) - number(answer)) <= key.tolerance + 1e-9
      : (form_) => form_ === normal(answer);
    const foreseen = key.wrong.find(([forms]) => forms.some(same));
    const others = key.wrong.filter((entry) => entry !== foreseen);
    let html = foreseen ? `<p><strong>Your answer:</strong> ${foreseen[1]}</p>` : "";
    const shown = document.createElement("code");
    shown.textContent = key.shown;
    html += `<div><strong>The answer is</strong> ${shown.outerHTML}. ${key.why}</div>`;
    for (const [forms, why] of others) {
      const other = document.createElement("code");
      other.textContent = forms[0];
      html += `<p>${other.outerHTML}: ${why}</p>`;
    }
    return html;
  }

  function show(form, answer) {
    const key = decode(form.dataset.key);
    const right = isRight(form, key, answer);
    const verdict = form.querySelector(".lb-question__verdict");
    form.classList.toggle("lb-question--right", right);
    form.classList.toggle("lb-question--wrong", !right);
    verdict.innerHTML = `<p class="lb-verdict">${right ? "✓ Right." : "✗ Not yet right."}</p>`;
    if (isChoice(form)) explainChoices(form, key, answer);
    else verdict.innerHTML += explainText(form, key, answer);
    form.querySelector("[data-again]").hidden = false;
    litebert.renderMath(form);
    return right;
  }

  function clear(form) {
    form.reset();
    form.classList.remove("lb-question--right", "lb-question--wrong");
    form.querySelector(".lb-question__verdict").textContent = "";
    form.querySelector("[data-again]").hidden = true;
    for (const why of form.querySelectorAll(".lb-option__why")) why.hidden = true;
    for (const option of form.querySelectorAll(".lb-option")) {
      option.classList.remove("lb-option--right", "lb-option--missed");
    }
    form.querySelector("input, textarea").focus();
  }

  function restore(form, answer) {
    if (isChoice(form)) {
      for (const input of form.querySelectorAll("input")) input.checked = answer.includes(Number(input.value));
    } else {
      form.querySelector(".lb-answer input, .lb-answer textarea").value = answer;
    }
    show(form, answer);
  }

  function score(quiz) {
    const forms = [...quiz.querySelectorAll(".lb-question")];
    const right = forms.filter((form) => form.classList.contains("lb-question--right")).length;
    quiz.querySelector(".lb-quiz__score").textContent =
      `${right} of ${forms.length} right. Answers stay in this browser.`;
  }

  for (const quiz of document.querySelectorAll(".lb-quiz")) {
    for (const form of quiz.querySelectorAll(".lb-question")) {
      const remembered = store.get(quiz.dataset.quiz, form.dataset.question);
      if (remembered) restore(form, remembered.given);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const answer = given(form);
        if (!String(answer).trim()) {
          form.querySelector(".lb-question__verdict").textContent = "Choose or type an answer first.";
          return;
        }
        store.put(quiz.dataset.quiz, form.dataset.question, answer, show(form, answer));
        score(quiz);
      });
      form.querySelector("[data-again]").addEventListener("click", () => {
        clear(form);
        score(quiz);
      });
    }
    score(quiz);
  }

  litebert.normal = normal;
})();
