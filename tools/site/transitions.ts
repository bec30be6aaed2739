// A state diagram in the words of the page. The picture is drawn where Mermaid is; here every arrow is a row, which is read
// aloud, found by the search, and printed.

import { findCode } from './known-codes.js';
import { type Html, html } from './markup.js';

export function renderTransitions(diagram: string): Html {
  const rows = diagram.split('\n').flatMap((line) => {
    const [, from, to, when] = /^\s*(\S+) --> (\S+?)(?::\s*(.+))?$/.exec(line) ?? [];
    return from === undefined || to === undefined ? [] : [{ from, to, when: when ?? '' }];
  });
  const starts = new Set(rows.filter(({ from }) => from === '[*]').map(({ to }) => to));
  const ends = new Set(rows.filter(({ to }) => to === '[*]').map(({ from }) => from));
  const moves = rows.filter(({ from, to }) => from !== '[*]' && to !== '[*]');
  const states = [...new Set(moves.map(({ from }) => from))];
  return html`<div class="moves" role="group" aria-label="Transitions">${states.map(
    (state) =>
      html`<div class="move"><div class="from">${renderState(state, starts, ends)}</div><ul>${moves
        .filter(({ from }) => from === state)
        .map(
          ({ to, when }) =>
            html`<li><span class="arrow" aria-label="leads to">→</span>${renderState(to, starts, ends)}<span class="when">${when}</span></li>`,
        )}</ul></div>`,
  )}</div>`;
}

function renderState(name: string, starts: ReadonlySet<string>, ends: ReadonlySet<string>): Html {
  const kind = starts.has(name) ? ' starts' : ends.has(name) ? ' ends' : '';
  const address = findCode(name);
  return address === undefined
    ? html`<code class="state${kind}">${name}</code>`
    : html`<a class="state${kind}" href="${address}"><code>${name}</code></a>`;
}
