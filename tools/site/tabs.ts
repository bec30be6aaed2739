// The same in several languages, one of them shown. A script switches them, for all of a page and the next one; without a
// script all are shown, one below the other, each with the name of its language.

import { renderBlock } from './highlight.js';
import { type Html, html } from './markup.js';

export interface Tab {
  readonly language: string;
  readonly syntax: string;
  readonly code: string;
}

export function renderTabs(name: string, label: string, tabs: readonly Tab[]): Html {
  const buttons = tabs.map(({ language }, index) => {
    const id = idOf(name, language);
    const [selected, tabindex] = index === 0 ? ['true', '0'] : ['false', '-1'];
    return html`<button type="button" role="tab" id="${id}" aria-controls="${id}-panel" aria-selected="${selected}" tabindex="${tabindex}">${language}</button>`;
  });
  const panels = tabs.map(({ language, syntax, code }, index) => {
    const id = idOf(name, language);
    return html`<div class="panel${index === 0 ? ' chosen' : undefined}" role="tabpanel" id="${id}-panel" aria-labelledby="${id}"><p class="panel-name">${language}</p>${renderBlock(code, syntax, language)}</div>`;
  });
  return html`<div class="tabs"><div class="tab-list" role="tablist" aria-label="${label}">${buttons}</div>${panels}</div>`;
}

function idOf(name: string, language: string): string {
  return `${name}-${language.toLowerCase()}`;
}
