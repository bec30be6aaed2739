// The same in several languages, one of them shown. Radio buttons do it without a script; a script only makes the choice
// hold for the whole page and the next one.

import { renderBlock } from './highlight.js';
import { type Html, html } from './markup.js';

export interface Tab {
  readonly language: string;
  readonly syntax: string;
  readonly code: string;
}

export function renderTabs(name: string, legend: string, tabs: readonly Tab[]): Html {
  const buttons = tabs.map(({ language }, index) => {
    const id = `${name}-${language.toLowerCase()}`;
    const checked = index === 0 ? { html: ' checked' } : undefined;
    return html`<input type="radio" name="${name}" id="${id}" value="${language}"${checked}><label for="${id}">${language}</label>`;
  });
  const panels = tabs.map(
    ({ language, syntax, code }) => html`<div class="panel">${renderBlock(code, syntax, language)}</div>`,
  );
  return html`<fieldset class="tabs"><legend>${legend}</legend>${buttons}<div class="panels">${panels}</div></fieldset>`;
}
