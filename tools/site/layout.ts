// The frame around every page: the bar with the search, the menu, what is on this page, and the way on.

import { type Html, html } from './markup.js';

export interface MenuEntry {
  readonly path: string;
  readonly title: string;
  /** The calls of an API page, shown below its entry while it is open. */
  readonly calls?: readonly { readonly id: string; readonly method: string; readonly title: string }[];
}

export interface MenuSection {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export interface PageContent {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'home' | 'guide' | 'api';
  readonly body: Html;
  readonly headings: readonly { readonly level: number; readonly id: string; readonly text: string }[];
  /** The source file, for the edit link. */
  readonly source?: string;
}

export interface Frame {
  readonly menu: readonly MenuSection[];
  readonly version: string;
  /** Changes with the files, so that a browser never mixes those of two versions. */
  readonly assetVersion: string;
}

export function renderPage(page: PageContent, frame: Frame): string {
  const asset = (name: string) => `/docs/assets/${name}?v=${frame.assetVersion}`;
  const title = page.kind === 'home' ? 'Postrider documentation' : `${page.title} · Postrider`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><meta name="description" content="${page.description}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml"><link rel="stylesheet" href="${asset('style.css')}">
<script src="${asset('page.js')}" defer></script><script src="${asset('search.js')}" data-index="${asset('search.json')}" defer></script></head>
<body class="${page.kind}"><a class="skip" href="#content">Skip to the content</a>
<input class="menu-switch" type="checkbox" id="menu-switch" aria-label="Menu" aria-controls="menu">
<header class="bar"><label class="menu-button" for="menu-switch" aria-hidden="true"><span></span></label>
<a class="brand" href="/docs"><img src="${asset('icon.svg')}" alt="" width="26" height="26">Postrider <span class="version">${frame.version}</span></a>
<div class="search" role="search" hidden><input type="search" id="search" placeholder="Search" aria-label="Search the documentation" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd><ul id="search-results" role="listbox" aria-label="Search results" hidden></ul></div>
<a class="bar-link" href="/console/">Console</a><a class="bar-link" href="/openapi.json">openapi.json</a></header>
<div class="frame"><nav class="menu" id="menu" aria-label="Documentation">${frame.menu.map((section) => renderSection(section, page.path))}</nav>
<main id="content" tabindex="-1"><article>${page.body}${renderWayOn(page, frame)}</article></main>${renderContents(page)}</div></body></html>
`.html;
}

function renderSection({ title, entries }: MenuSection, current: string): Html {
  return html`<h2>${title}</h2><ul>${entries.map((entry) => renderEntry(entry, current))}</ul>`;
}

function renderEntry({ path, title, calls }: MenuEntry, current: string): Html {
  // A record of a decision is not in the menu: the index of the decisions is marked for it.
  const isIndexOf = path === '/docs/decisions' && current.startsWith(`${path}/`);
  if (path !== current)
    return html`<li><a href="${path}"${isIndexOf ? { html: ' aria-current="true"' } : undefined}>${title}</a></li>`;
  const inner = calls?.map(
    ({ id, method, title: call }) =>
      html`<li><a href="#${id}"><span>${call}</span><span class="method ${method.toLowerCase()}">${method}</span></a></li>`,
  );
  return html`<li><a href="${path}" aria-current="page">${title}</a>${inner === undefined ? undefined : html`<ul class="calls">${inner}</ul>`}</li>`;
}

function renderContents({ kind, headings }: PageContent): Html | undefined {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (kind !== 'guide') return undefined;
  if (shown.length < 2) return html`<aside class="contents"></aside>`;
  const links = shown.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>`);
  return html`<aside class="contents"><nav aria-label="On this page"><h2>On this page</h2><ul>${links}</ul></nav></aside>`;
}

function renderWayOn({ path, source }: PageContent, { menu }: Frame): Html {
  const all = menu.flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.path === path);
  const [before, after] = at < 0 ? [] : [all[at - 1], all[at + 1]];
  const link = (entry: MenuEntry | undefined, kind: string, said: string) =>
    entry === undefined
      ? html`<span></span>`
      : html`<a class="${kind}" href="${entry.path}"><small>${said}</small>${entry.title}</a>`;
  return html`<footer class="way-on"><nav aria-label="Pages around this one">${link(before, 'before', 'Before')}${link(after, 'after', 'Next')}</nav>
${source === undefined ? undefined : html`<p class="source">Made from <code>${source}</code>.</p>`}</footer>`;
}
