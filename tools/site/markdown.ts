// Markdown into a page: headings with anchors, rows of tables with anchors, code in colours, links that lead to pages.

import MarkdownIt, { type Token } from 'markdown-it';
import { LANGUAGES, type Language } from '#src/http/docs/language.js';
import { escapeText } from '#src/http/docs/placeholder.js';
import { renderBlock } from './highlight.js';
import { findCode } from './known-codes.js';
import { FRAME_WORDS, localizePath } from './languages.js';
import { slugify } from './markup.js';
import { renderTransitions } from './transitions.js';

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A heading and what stands below it, as the search knows it. */
export interface Passage {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly passages: readonly Passage[];
}

export interface RenderOptions {
  readonly language: Language;
  /** The address of the page itself, which its own rows do not link to. */
  readonly path: string;
  /** Where a relative link leads; undefined when it leads nowhere here. */
  readonly resolve: (target: string) => string | undefined;
}

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** The renderer hands its rules what `render` got, untyped. */
function languageIn(env: object = {}): Language {
  return LANGUAGES.find((language) => 'language' in env && language === env.language) ?? 'en';
}

export function renderMarkdown(text: string, options: RenderOptions): RenderedMarkdown {
  const tokens = markdown.parse(text, {});
  const headings = nameHeadings(tokens);
  nameRows(tokens, new Set(headings.map(({ id }) => id)));
  labelCells(tokens);
  for (const token of tokens) if (token.children !== null) rewriteInline(token.children, options);
  return {
    html: markdown.renderer.render(tokens, markdown.options, { language: options.language }),
    headings,
    passages: collectPassages(tokens),
  };
}

markdown.renderer.rules.fence = (tokens, index, _, env) => {
  const { info = '', content = '' } = tokens[index] ?? {};
  const [syntax = 'text'] = info.trim().split(/\s+/);
  const language = languageIn(env);
  return syntax === 'mermaid' ? renderTransitions(content, language).html : renderSample(content, syntax, language);
};
markdown.renderer.rules.code_block = (tokens, index, _, env) =>
  renderSample(tokens[index]?.content ?? '', 'bash', languageIn(env));

/** Codes in a sample lead to their explanation in the language of the page. */
function renderSample(content: string, syntax: string, language: Language): string {
  const { html } = renderBlock(content, syntax, FRAME_WORDS[language].code);
  return html.replaceAll(/ href="([^"]+)"/g, (_, address: string) => ` href="${localizePath(address, language)}"`);
}

// A table that is wider than the page scrolls, and is focusable by keyboard.
markdown.renderer.rules.table_open = (_tokens, _index, _options, env) =>
  `<div class="table" tabindex="0" role="group" aria-label="${FRAME_WORDS[languageIn(env)].table}"><table>`;
markdown.renderer.rules.table_close = () => '</table></div>';
markdown.renderer.rules.heading_open = (tokens, index) => {
  const token = tokens[index];
  return `<${token?.tag} id="${escapeText(String(token?.attrGet('id') ?? ''))}">`;
};
markdown.renderer.rules.heading_close = (tokens, index, _, env) => {
  const token = tokens[index];
  const id = token?.meta?.id;
  const mark =
    token?.tag === 'h1'
      ? ''
      : `<a class="anchor" href="#${escapeText(String(id))}" aria-label="${FRAME_WORDS[languageIn(env)].anchor}">#</a>`;
  return `${mark}</${token?.tag}>`;
};

function nameHeadings(tokens: readonly Token[]): Heading[] {
  const headings: Heading[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const text = textOf(tokens[index + 1]?.children ?? []);
    const slug = slugify(text);
    const earlier = headings.filter(({ id: taken }) => taken === slug || taken.startsWith(`${slug}-`)).length;
    // Sections of a changelog have the same headings in each version.
    const id = headings.some(({ id: taken }) => taken === slug) ? `${slug}-${earlier}` : slug;
    token.attrSet('id', id);
    const close = tokens[index + 2];
    if (close !== undefined) close.meta = { id };
    headings.push({ level: Number(token.tag.slice(1)), id, text });
  }
  return headings;
}

/** A row that begins with a code, or has it next to a status, can be linked to by that code. */
function nameRows(tokens: readonly Token[], taken: Set<string>): void {
  let row: Token | undefined;
  let cell = 0;
  for (const token of tokens) {
    if (token.type === 'tr_open') [row, cell] = [token, 0];
    if (token.type === 'td_open') cell += 1;
    if (token.type !== 'inline' || row === undefined || cell === 0 || cell > 2) continue;
    const [only, ...more] = token.children ?? [];
    if (only?.type !== 'code_inline' || more.length > 0 || !/^\w+$/.test(only.content)) continue;
    // A heading, or an earlier row, may have the name already.
    const id = taken.has(only.content) ? `row-${only.content}` : only.content;
    if (taken.has(id)) continue;
    row.attrSet('id', id);
    only.meta = { definedAs: id };
    taken.add(id);
    row = undefined;
  }
}

/** On a phone a table of many columns is shown row by row, and every cell says which column it is. */
function labelCells(tokens: readonly Token[]): void {
  let labels: string[] = [];
  let cell = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'thead_open') labels = [];
    if (token.type === 'th_open') labels.push(textOf(tokens[index + 1]?.children ?? []));
    if (token.type === 'tr_open') cell = 0;
    if (token.type !== 'td_open') continue;
    const label = labels[cell];
    if (label !== undefined && label !== '') token.attrSet('data-label', label);
    cell += 1;
  }
}

function rewriteInline(children: Token[], { language, path, resolve }: RenderOptions): void {
  let links = 0;
  for (const [index, token] of children.entries()) {
    if (token.type === 'link_open') {
      links += 1;
      const target = String(token.attrGet('href') ?? '');
      if (/^[a-z]+:/.test(target)) token.attrSet('rel', 'noreferrer');
      else token.attrSet('href', resolve(target) ?? target);
    }
    if (token.type === 'link_close') links -= 1;
    if (token.type !== 'code_inline' || links > 0) continue;
    const known = findCode(token.content, language);
    const own: unknown = token.meta?.definedAs;
    const isHere = typeof own === 'string' && (known === undefined || known === `${path}#${own}`);
    const address = isHere ? `#${own}` : known;
    if (address !== undefined) children[index] = linkCode(token, address);
  }
}

/** The code as a link, kept in one token so that the places of the others stay. */
function linkCode(token: Token, address: string): Token {
  token.type = 'html_inline';
  token.content = `<a class="code" href="${address}"><code>${escapeText(token.content)}</code></a>`;
  return token;
}

/** A passage for each heading, and one for each row that can be linked to. */
function collectPassages(tokens: readonly Token[]): Passage[] {
  const passages: { id: string; heading: string; text: string }[] = [];
  let section: (typeof passages)[number] | undefined;
  let row: (typeof passages)[number] | undefined;
  for (const [index, token] of tokens.entries()) {
    const id = String(token.attrGet('id'));
    if (token.type === 'heading_open') {
      section = { id, heading: textOf(tokens[index + 1]?.children ?? []), text: '' };
      passages.push(section);
    } else if (token.type === 'tr_open') {
      row = token.attrGet('id') === null ? undefined : { id, heading: id, text: '' };
      if (row !== undefined) passages.push(row);
    } else if (token.type === 'table_close') row = undefined;
    else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      const at = row ?? section;
      if (at !== undefined) at.text += ` ${textOf(token.children ?? [])}`;
    }
  }
  return passages;
}

function textOf(children: readonly Token[]): string {
  return children
    .map(({ type, content }) =>
      type === 'html_inline' ? content.replaceAll(/<[^>]+>/g, '') : type === 'softbreak' ? ' ' : content,
    )
    .join('');
}
