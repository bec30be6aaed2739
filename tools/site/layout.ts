// The frame around every page: the bar with the search and the language switch, the menu, what is on this page, and the
// previous and next page.

import { HOMES, LANGUAGES, type Language } from '#src/http/docs/language.js';
import { FRAME_WORDS } from './languages.js';
import { type Html, html } from './markup.js';

export interface MenuEntry {
  readonly path: string;
  readonly title: string;
  /** Where it is not the language of the menu. */
  readonly language?: Language;
  /** The calls of an API page, shown below its entry while it is open. */
  readonly calls?: readonly { readonly id: string; readonly method: string; readonly title: string }[];
}

export interface MenuSection {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export interface PageContent {
  readonly language: Language;
  readonly path: string;
  /** The path of the same page in the other language. */
  readonly translation?: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly kind: 'home' | 'guide' | 'api';
  readonly body: Html;
  readonly headings: readonly { readonly level: number; readonly id: string; readonly text: string }[];
}

export interface Frame {
  readonly menus: Readonly<Record<Language, readonly MenuSection[]>>;
  readonly version: string;
  /** Changes with the files, so that a browser never mixes those of two versions. */
  readonly assetVersion: string;
}

export function renderPage(page: PageContent, frame: Frame): string {
  const asset = (name: string) => `/docs/assets/${name}?v=${frame.assetVersion}`;
  const words = FRAME_WORDS[page.language];
  const title = page.kind === 'home' ? words.documentation : `${page.title} · Postrider`;
  return html`<!doctype html>
<html lang="${words.tag}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><meta name="description" content="${page.description}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml"><link rel="stylesheet" href="${asset('style.css')}"><noscript><link rel="stylesheet" href="${asset('no-script.css')}"></noscript>
<script src="${asset('page.js')}" defer></script><script src="${asset('search.js')}" data-index="${asset(`search.${page.language}.json`)}" defer></script></head>
<body class="${page.kind}"><a class="skip" href="#content">${words.skip}</a>
<input class="menu-switch" type="checkbox" id="menu-switch" aria-label="${words.menu}" aria-controls="menu">
<header class="bar"><label class="menu-button" for="menu-switch" aria-hidden="true"><span></span></label>
<a class="brand" href="${HOMES[page.language]}"><img src="${asset('icon.svg')}" alt="" width="26" height="26">Postrider <span class="version">${frame.version}</span></a>
<div class="search" role="search" hidden><input type="search" id="search" placeholder="${words.search}" aria-label="${words.searchLabel}" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd><ul id="search-results" role="listbox" aria-label="${words.searchResults}" hidden></ul></div>
<a class="bar-link" href="/console/">${words.console}</a><a class="bar-link" href="/openapi.json">openapi.json</a>${renderLanguages(page)}</header>
<div class="frame"><nav class="menu" id="menu" aria-label="${words.documentation}">${frame.menus[page.language].map((section) => renderSection(section, page.path))}</nav>
<main id="content" tabindex="-1"><article>${page.body}${renderWayOn(page, frame)}</article></main>${renderContents(page)}</div></body></html>
`.html;
}

/** `lang` in the query is remembered for the next visit, also where the browser prefers the other language. */
function renderLanguages({ language, translation }: PageContent): readonly Html[] {
  return LANGUAGES.filter((other) => other !== language).map((other) => {
    const { name, tag } = FRAME_WORDS[other];
    return html`<a class="bar-link language" href="${translation ?? HOMES[other]}?lang=${other}" lang="${tag}" hreflang="${tag}">${name}</a>`;
  });
}

function renderSection({ title, entries }: MenuSection, current: string): Html {
  return html`<h2>${title}</h2><ul>${entries.map((entry) => renderEntry(entry, current))}</ul>`;
}

function renderEntry({ path, title, language, calls }: MenuEntry, current: string): Html {
  // A record of a decision is not in the menu: the index of the decisions is marked for it.
  const isIndexOf = path === '/docs/decisions' && current.startsWith(`${path}/`);
  const marks = [
    isIndexOf ? html` aria-current="true"` : undefined,
    language === undefined ? undefined : html` lang="${language}" hreflang="${language}"`,
  ].filter((mark) => mark !== undefined);
  if (path !== current) return html`<li><a href="${path}"${marks}>${title}</a></li>`;
  const inner = calls?.map(
    ({ id, method, title: call }) =>
      html`<li><a href="#${id}"><span>${call}</span><span class="method ${method.toLowerCase()}">${method}</span></a></li>`,
  );
  return html`<li><a href="${path}" aria-current="page">${title}</a>${inner === undefined ? undefined : html`<ul class="calls">${inner}</ul>`}</li>`;
}

function renderContents({ language, kind, headings }: PageContent): Html | undefined {
  const words = FRAME_WORDS[language];
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (kind !== 'guide') return undefined;
  if (shown.length < 2) return html`<aside class="contents"></aside>`;
  const links = shown.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>`);
  return html`<aside class="contents"><nav aria-label="${words.contents}"><h2>${words.contents}</h2><ul>${links}</ul></nav></aside>`;
}

function renderWayOn({ language, path }: PageContent, { menus }: Frame): Html {
  const words = FRAME_WORDS[language];
  const all = menus[language].flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.path === path);
  const [before, after] = at < 0 ? [] : [all[at - 1], all[at + 1]];
  const link = (entry: MenuEntry | undefined, kind: string, said: string) =>
    entry === undefined
      ? html`<span></span>`
      : html`<a class="${kind}" href="${entry.path}"><small>${said}</small>${entry.title}</a>`;
  return html`<footer class="way-on"><nav aria-label="${words.neighbours}">${link(before, 'before', words.previous)}${link(after, 'after', words.next)}</nav></footer>`;
}
