// The whole documentation as files: every page, what the pages load, and what the search knows.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDescription, OpenApiDocument } from '#src/http/openapi.js';
import { createApiPages } from './api/api-pages.js';
import { createGuide } from './guide.js';
import { type Frame, type MenuSection, type PageContent, renderPage } from './layout.js';
import { html } from './markup.js';
import { readSourcePages, SECTIONS } from './pages.js';
import { renderSearchIndex } from './search-index.js';

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
  const menu = SECTIONS.map(
    (title): MenuSection => ({
      title,
      entries: [
        ...sources.filter(({ section }) => section === title).map(({ path, label }) => ({ path, title: label })),
        ...apiPages.filter(({ section }) => section === title).map(({ entry }) => entry),
      ],
    }),
  );
  const search = renderSearchIndex([...guides, ...apiPages].flatMap(({ found }) => found));
  const assets = readAssets(assetFolder, search);
  const frame: Frame = { menu, version: document.info.version, assetVersion: hashOf(assets) };
  const contents = [...guides.map(({ content }) => content), ...apiPages.map(({ content }) => content), NOT_FOUND];
  return [
    ...contents.map((content) => ({ name: nameOf(content), body: renderPage(content, frame) })),
    ...assets,
    ...[...linked].map((file) => ({ name: fileNameOf(file), body: readFileSync(join(root, file), 'utf8') })),
  ];
}

const NOT_FOUND: PageContent = {
  path: '/docs/not-found',
  title: 'Not found',
  description: 'There is no such page.',
  kind: 'guide',
  headings: [],
  body: html`<h1>There is no such page</h1><p>It may have moved. The search above knows every page, and <a href="/docs">the overview</a> leads to all of them.</p>`,
};

function nameOf({ path }: PageContent): string {
  return path === '/docs' ? 'docs/index.html' : `${path.slice(1)}.html`;
}

function fileNameOf(file: string): string {
  return `docs/files/${file.replace(/^docs\//, '')}`;
}

/** Later ones win over earlier ones. */
const STYLES = ['base', 'bar', 'columns', 'prose', 'code', 'tables', 'states', 'calls', 'home', 'narrow', 'print'];

function readAssets(folder: string, search: string): BuiltFile[] {
  const files = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  const own = files
    .sort()
    .map((name) => ({ name: `docs/assets/${name}`, body: readFileSync(join(folder, name), 'utf8') }));
  const styles = STYLES.map((name) => readFileSync(join(folder, 'style', `${name}.css`), 'utf8'));
  return [
    ...own,
    { name: 'docs/assets/style.css', body: styles.join('\n') },
    { name: 'docs/assets/search.json', body: search },
  ];
}

function hashOf(files: readonly BuiltFile[]): string {
  const hash = createHash('sha256');
  for (const { body } of files) hash.update(body);
  return hash.digest('hex').slice(0, 10);
}
