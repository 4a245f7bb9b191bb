// The page of progress: what this browser remembers, with export and reset.
"use strict";

(() => {
  const place = document.getElementById("lb-progress");
  const list = document.getElementById("lb-quizzes");
  if (!place || !list) return;
  const quizzes = JSON.parse(list.textContent);
  const element = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text });

  function row(quiz, answers) {
    const records = quiz.questions.map((name) => answers[`${quiz.quiz}/${name}`]);
    const link = Object.assign(element("a", quiz.title), { href: `${quiz.url}#quiz-${quiz.quiz}` });
    const head = element("th");
    head.scope = "row";
    head.append(link);
    const count = (test) => records.filter((record) => record && test(record)).length;
    const tr = element("tr");
    tr.append(head);
    for (const value of [quiz.questions.length, count(() => true), count((r) => r.right), count((r) => r.firstTry)]) {
      tr.append(element("td", value));
    }
    return tr;
  }

  function draw() {
    const answers = litebert.store.read().answers;
    const table = element("table");
    const head = element("tr");
    for (const title of ["Quiz", "Questions", "Answered", "Right", "Right at once"]) {
      head.append(Object.assign(element("th", title), { scope: "col" }));
    }
    table.append(element("thead"), element("tbody"));
    table.tHead.append(head);
    table.tBodies[0].append(...quizzes.map((quiz) => row(quiz, answers)));
    const wrap = element("div");
    wrap.className = "lb-progress__table";
    wrap.append(table);
    place.replaceChildren(wrap);
    litebert.reachScrollers();
  }

  function exportAnswers() {
    const text = JSON.stringify({ exported: new Date().toISOString(), ...litebert.store.read() }, null, 2);
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "litebert-quiz-answers.json";
    link.click();
    URL.revokeObjectURL(link.href);
    say("The answers were saved as litebert-quiz-answers.json.");
  }

  const status = document.getElementById("lb-progress-status");
  const say = (text) => { status.textContent = text; };
  const resetButton = document.getElementById("lb-reset");
  document.getElementById("lb-export").addEventListener("click", exportAnswers);
  resetButton.addEventListener("click", () => {
    if (resetButton.dataset.armed) {
      litebert.store.reset();
      delete resetButton.dataset.armed;
      resetButton.textContent = "Forget all answers";
      say("All answers are forgotten.");
      draw();
    } else {
      resetButton.dataset.armed = "yes";
      resetButton.textContent = "Really forget all answers";
      say("Press the button once more to forget all answers.");
    }
  });
  draw();
})();
