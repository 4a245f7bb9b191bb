// Parameter counts by formula: the same as lessons/counting.py's parameter_table, tested against it.
"use strict";

window.litebert = window.litebert || {};

litebert.counting = (() => {
  // config: V, P (max_len), S (segments), D, E, L, F, sharing, groups.
  function encoder({ D, F, L, sharing = "none", groups = 1 }) {
    const attention = 4 * (D * D + D) + 2 * D; // four projections and the norm after them
    const feedForward = D * F + F + F * D + D + 2 * D;
    const copies = { none: [L, L], attention: [1, L], ffn: [L, 1], all: [groups, groups] }[sharing];
    return copies[0] * attention + copies[1] * feedForward;
  }

  function table(config, factorized) {
    const { V, P, S, D } = config;
    const E = factorized ? config.E : D;
    const rows = {
      word: V * E,
      position: P * E,
      segment: S * E,
      embedding_norm: 2 * E,
      projection: factorized ? E * D + D : 0,
      encoder: encoder(config),
      pooler: D * D + D,
      mlm_head: D * E + E + 2 * E + V,
      sentence_head: 2 * D + 2,
    };
    rows.total = Object.values(rows).reduce((sum, value) => sum + value, 0);
    return rows;
  }

  const breakEven = (V, D) => (V * D) / (V + D);

  return { table, encoder, breakEven };
})();
