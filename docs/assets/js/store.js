// What this browser remembers of the quizzes: one versioned key, one record a question.
"use strict";

window.litebert = window.litebert || {};

litebert.store = (() => {
  const KEY = "litebert.quiz.v1";
  let memory = null; // used alone where the browser forbids storage

  function read() {
    try {
      const text = localStorage.getItem(KEY);
      if (text) return JSON.parse(text);
    } catch (error) {
      // Storage is forbidden or holds something else: start afresh.
    }
    return memory || { version: 1, answers: {} };
  }

  function write(state) {
    memory = state;
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch (error) {
      // The answers last until the page is left.
    }
  }

  return {
    KEY,
    read,
    get: (quiz, question) => read().answers[`${quiz}/${question}`],
    put(quiz, question, given, right) {
      const state = read();
      const name = `${quiz}/${question}`;
      const before = state.answers[name];
      state.answers[name] = {
        given,
        right,
        tries: (before ? before.tries : 0) + 1,
        firstTry: before ? before.firstTry : right,
      };
      write(state);
    },
    reset: () => write({ version: 1, answers: {} }),
  };
})();
