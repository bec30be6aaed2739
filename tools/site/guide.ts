// A page of Markdown as a page of the documentation.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { HOMES } from '#src/http/docs/language.js';
import type { Addition } from './api/api-pages.js';
import { FRAME_WORDS, translationOf } from './languages.js';
import type { PageContent } from './layout.js';
import { renderMarkdown } from './markdown.js';
import { type Html, html } from './markup.js';
import { pathOfFile, resolveLink, type SourcePage } from './pages.js';
import type { SearchEntry } from './search-index.js';
import { renderTabs, type Tab } from './tabs.js';

export interface Guide {
  readonly content: PageContent;
  readonly found: readonly SearchEntry[];
  /** What this page says of a group of calls, shown there as well. */
  readonly additions: readonly Addition[];
}

export interface GuideOptions {
  readonly root: string;
  readonly sources: readonly SourcePage[];
  /** Called for every file that is not a page and must be served with it. */
  readonly onFile: (file: string) => void;
}

export function createGuide(source: SourcePage, options: GuideOptions): Guide {
  const resolve = (target: string) => resolveTarget(source, target, options);
  const text = source.text.replaceAll(PROGRAM_LIST, (list) => placeTabs(list));
  const rendered = renderMarkdown(text, { language: source.language, path: source.path, resolve });
  let examples = 0;
  const body = {
    html: rendered.html.replaceAll(TABS_MARK, (_, files: string) => {
      examples += 1;
      return renderPrograms(`example-${examples}`, source, files, options).html;
    }),
  };
  const description = /^[^#\s|`-].+$/m.exec(source.text)?.[0] ?? source.title;
  return {
    content: {
      language: source.language,
      path: source.path,
      translation: findTranslation(source, options.sources),
      title: source.title,
      description: description.replaceAll(/[`*[\]]|\([^)]*\)/g, '').slice(0, 160),
      kind: source.path === HOMES[source.language] ? 'home' : 'guide',
      body,
      headings: rendered.headings,
    },
    found: rendered.passages.map(({ id, heading, text: said }, index) => ({
      page: source.title,
      title: heading,
      path: index === 0 ? source.path : `${source.path}#${id}`,
      text: said,
    })),
    additions: findConfiguration(source, rendered.html),
  };
}

/** The same page in the other language. */
function findTranslation({ file, language }: SourcePage, sources: readonly SourcePage[]): string | undefined {
  const others = sources.filter((other) => other.language !== language);
  return others.find((other) => translationOf(file) === other.file || translationOf(other.file) === file)?.path;
}

/** The table of fields of a kind of channel belongs to its own page and to the calls that take it. */
function findConfiguration({ file, path, title }: SourcePage, rendered: string): Addition[] {
  const kind = /^docs\/(\w+)\.md$/.exec(file)?.[1];
  const table = /<h2 id="configuration">[\s\S]*?(<div class="table"[\s\S]*?<\/table><\/div>)/.exec(rendered)?.[1];
  if (kind === undefined || table === undefined) return [];
  const renamed = table.replaceAll(/( id="|href="#)(?:row-)?/g, `$1${kind}-`);
  const said = html`<section class="kind"><h2 id="config-${kind}"><code>config</code> of kind <code>${kind}</code></h2><p>The whole story is in <a href="${path}">${title}</a>.</p>${{ html: renamed }}</section>`;
  return [['Channels', said]];
}

function resolveTarget(
  source: SourcePage,
  target: string,
  { root, sources, onFile }: GuideOptions,
): string | undefined {
  const [path = '', anchor] = target.split('#');
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return suffix;
  const file = resolveLink(source.file, path);
  const page = sources.find((other) => other.file === file);
  if (page !== undefined) return page.path + suffix;
  if (!existsSync(join(root, file)) || !statSync(join(root, file)).isFile()) return undefined;
  onFile(file);
  return pathOfFile(file);
}

/** A list of links to programs, one in each language, is a list in the repository and tabs here. */
const PROGRAM_LIST =
  /(?:^- \[(?:curl|TypeScript|JavaScript|Python|Go|Java|PHP)\]\([^)\s]+\.(?:sh|m?ts|mjs|py|go|java|php)\)\n?){2,}/gm;
const TABS_MARK = /<p>%%programs:([^%]+)%%<\/p>/g;

function placeTabs(list: string): string {
  const links = [...list.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name, file]) => `${name}=${file}`);
  return `\n%%programs:${links.join(',')}%%\n`;
}

const SYNTAX: Readonly<Record<string, string>> = { sh: 'bash', ts: 'typescript', mjs: 'typescript', py: 'python' };

function renderPrograms(name: string, source: SourcePage, listed: string, { root, onFile }: GuideOptions): Html {
  const tabs = listed.split(',').map((entry): Tab => {
    const [language = '', target = ''] = entry.split('=');
    const file = resolveLink(source.file, target);
    onFile(file);
    const extension = extname(basename(file)).slice(1);
    return { language, syntax: SYNTAX[extension] ?? extension, code: readFileSync(join(root, file), 'utf8') };
  });
  return renderTabs(name, FRAME_WORDS[source.language].example, tabs);
}
