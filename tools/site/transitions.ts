// A state diagram in the words of the page. The picture is drawn where Mermaid is; here every arrow is a row, which is read
// aloud, found by the search, and printed.

import type { Language } from '#src/http/docs/language.js';
import { findCode } from './known-codes.js';
import { FRAME_WORDS } from './languages.js';
import { type Html, html } from './markup.js';

export function renderTransitions(diagram: string, language: Language): Html {
  const words = FRAME_WORDS[language];
  const rows = diagram.split('\n').flatMap((line) => {
    const [, from, to, when] = /^\s*(\S+) --> (\S+?)(?::\s*(.+))?$/.exec(line) ?? [];
    return from === undefined || to === undefined ? [] : [{ from, to, when: when ?? '' }];
  });
  const starts = new Set(rows.filter(({ from }) => from === '[*]').map(({ to }) => to));
  const ends = new Set(rows.filter(({ to }) => to === '[*]').map(({ from }) => from));
  const moves = rows.filter(({ from, to }) => from !== '[*]' && to !== '[*]');
  const states = [...new Set(moves.map(({ from }) => from))];
  return html`<div class="moves" role="group" aria-label="${words.transitions}">${states.map(
    (state) =>
      html`<div class="move"><div class="from">${renderState(state, starts, ends, language)}</div><ul>${moves
        .filter(({ from }) => from === state)
        .map(
          ({ to, when }) =>
            html`<li><span class="arrow" aria-label="${words.leadsTo}">→</span>${renderState(to, starts, ends, language)}<span class="when">${when}</span></li>`,
        )}</ul></div>`,
  )}</div>`;
}

function renderState(name: string, starts: ReadonlySet<string>, ends: ReadonlySet<string>, language: Language): Html {
  const kind = starts.has(name) ? ' starts' : ends.has(name) ? ' ends' : '';
  const address = findCode(name, language);
  return address === undefined
    ? html`<code class="state${kind}">${name}</code>`
    : html`<a class="state${kind}" href="${address}"><code>${name}</code></a>`;
}
