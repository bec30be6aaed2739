// The whole documentation as files: every page, what the pages load, and what the search knows.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HOMES, LANGUAGES, type Language } from '#src/http/docs/language.js';
import type { ApiDescription, OpenApiDocument } from '#src/http/openapi.js';
import { type ApiPage, createApiPages } from './api/api-pages.js';
import { createGuide, type Guide } from './guide.js';
import { FRAME_WORDS } from './languages.js';
import { type Frame, type MenuEntry, type MenuSection, type PageContent, renderPage } from './layout.js';
import { html } from './markup.js';
import { readSourcePages, type SourcePage } from './pages.js';
import { renderSearchIndex } from './search-index.js';
import { SECTIONS } from './sections.js';

export interface BuiltFile {
  /** As it is served, with its extension: `docs/guides/receipts.html`. */
  readonly name: string;
  readonly body: string;
}

export interface SiteInput {
  readonly root: string;
  /** Scripts, styles and pictures. */
  readonly assetFolder: string;
  readonly document: OpenApiDocument;
  readonly apis: readonly ApiDescription[];
}

export function buildSite({ root, assetFolder, document, apis }: SiteInput): BuiltFile[] {
  const sources = readSourcePages(root);
  const linked = new Set<string>();
  const guides = sources.map((source) => createGuide(source, { root, sources, onFile: (file) => linked.add(file) }));
  const apiPages = createApiPages(
    document,
    apis,
    guides.flatMap(({ additions }) => additions),
  );
  const assets = [...readAssets(assetFolder), ...LANGUAGES.map((language) => createIndex(language, guides, apiPages))];
  const menus = { en: createMenu('en', sources, apiPages), zh: createMenu('zh', sources, apiPages) };
  const frame: Frame = { menus, version: document.info.version, assetVersion: hashOf(assets) };
  const contents = [...[...guides, ...apiPages].map(({ content }) => content), ...LANGUAGES.map(createNotFound)];
  return [
    ...contents.map((content) => ({ name: nameOf(content), body: renderPage(content, frame) })),
    ...assets,
    ...[...linked].map((file) => ({ name: fileNameOf(file), body: readFileSync(join(root, file), 'utf8') })),
  ];
}

/** English pages in the Chinese menu, beside the calls of customers: customers read them, and they are not translated. */
const ENGLISH_IN_CHINESE = [
  ...['python', 'go', 'java', 'php'].map((language) => `sdks/${language}/README.md`),
  ...['docs/cli.md', 'docs/simulator.md'],
];

function createMenu(language: Language, sources: readonly SourcePage[], apiPages: readonly ApiPage[]): MenuSection[] {
  const sections = SECTIONS.map((section): MenuSection => {
    const own = sources.filter((source) => source.section === section);
    const calls = apiPages.filter((page) => page.section === section).map(({ entry }) => entry);
    const guides = own.filter((source) => source.language === language);
    const borrowed = language === 'en' ? [] : own.filter(({ file }) => ENGLISH_IN_CHINESE.includes(file));
    const entries = [
      ...guides.map(({ path, label }): MenuEntry => ({ path, title: label })),
      ...borrowed.map(({ path, label }): MenuEntry => ({ path, title: label, language: 'en' })),
      ...(language === 'en' ? calls : calls.map((entry) => ({ ...entry, language: 'en' as const }))),
    ];
    return { title: FRAME_WORDS[language].sections[section], entries };
  });
  // Operators read English.
  const isShown = ({ title }: MenuSection) =>
    language === 'en' || title !== FRAME_WORDS[language].sections['Operator API'];
  return sections.filter((section) => section.entries.length > 0 && isShown(section));
}

/** The Chinese search finds the calls too, which are described in English. */
function createIndex(language: Language, guides: readonly Guide[], apiPages: readonly ApiPage[]): BuiltFile {
  const own = guides.filter(({ content }) => content.language === language);
  const body = renderSearchIndex([...own, ...apiPages].flatMap(({ found }) => found));
  return { name: `docs/assets/search.${language}.json`, body };
}

function createNotFound(language: Language): PageContent {
  const home = HOMES[language];
  const { notFound, notFoundHint, notFoundLink } = FRAME_WORDS[language];
  return {
    language,
    path: `${home}/not-found`,
    title: notFound,
    description: notFound,
    kind: 'guide',
    headings: [],
    body: html`<h1>${notFound}</h1><p>${notFoundHint}</p><p><a href="${home}">${notFoundLink}</a></p>`,
  };
}

function nameOf({ path }: PageContent): string {
  return LANGUAGES.some((language) => HOMES[language] === path)
    ? `${path.slice(1)}/index.html`
    : `${path.slice(1)}.html`;
}

function fileNameOf(file: string): string {
  return `docs/files/${file.replace(/^docs\//, '')}`;
}

/** Later ones win over earlier ones. */
const STYLES = ['base', 'bar', 'columns', 'prose', 'code', 'tables', 'states', 'calls', 'home', 'narrow', 'print'];

function readAssets(folder: string): BuiltFile[] {
  const files = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  const own = files
    .sort()
    .map((name) => ({ name: `docs/assets/${name}`, body: readFileSync(join(folder, name), 'utf8') }));
  const styles = STYLES.map((name) => readFileSync(join(folder, 'style', `${name}.css`), 'utf8'));
  return [...own, { name: 'docs/assets/style.css', body: styles.join('\n') }];
}

function hashOf(files: readonly BuiltFile[]): string {
  const hash = createHash('sha256');
  for (const { body } of files) hash.update(body);
  return hash.digest('hex').slice(0, 10);
}
