// Which files are pages, where each is served and its place in the menu. New files in `docs` are found automatically.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Language } from '#src/http/docs/language.js';
import { languageOf, translationOf } from './languages.js';
import type { Section } from './sections.js';

export interface SourcePage {
  readonly language: Language;
  /** Relative to the checkout: `docs/guides/receipts.md`. */
  readonly file: string;
  /** `/docs/guides/receipts` */
  readonly path: string;
  /** None: served and linked, and not in the menu. */
  readonly section: Section | undefined;
  readonly title: string;
  /** The title in the menu, where its section says the rest. */
  readonly label: string;
  readonly text: string;
}

/** In the order of the menu. What is not named here follows, in the section of its folder. */
const ORDER: readonly (readonly [file: string, section: Section, label?: string])[] = [
  ['docs/README.md', 'Start', 'Overview'],
  ['docs/guides/first-message.md', 'Start'],
  ['docs/guides/console.md', 'Start'],
  ['docs/guides/receipts.md', 'Guides', 'Receipts'],
  ['docs/guides/webhooks.md', 'Guides'],
  ['docs/guides/retries.md', 'Guides'],
  ['docs/guides/scheduling.md', 'Guides', 'Scheduling'],
  ['docs/guides/rules.md', 'Guides', 'Rules'],
  ['docs/guides/batches.md', 'Guides'],
  ['docs/guides/submit-unknown.md', 'Guides'],
  ['docs/guides/money.md', 'Guides'],
  ['docs/guides/reconciliation.md', 'Guides'],
  ['docs/guides/going-live-with-smpp.md', 'Guides'],
  ['docs/guides/failover.md', 'Guides'],
  ['docs/guides/production.md', 'Guides'],
  ['docs/guides/many-machines.md', 'Guides'],
  ['docs/reference/api.md', 'Customer API', 'Overview'],
  ['docs/signing/README.md', 'Customer API', 'Signing'],
  ['docs/sdks.md', 'Customer API'],
  ['packages/client/README.md', 'Customer API', 'TypeScript client'],
  ['sdks/python/README.md', 'Customer API', 'Python SDK'],
  ['sdks/go/README.md', 'Customer API', 'Go SDK'],
  ['sdks/java/README.md', 'Customer API', 'Java SDK'],
  ['sdks/php/README.md', 'Customer API', 'PHP SDK'],
  ['docs/operator-api.md', 'Operator API', 'Overview'],
  ['docs/reference/words.md', 'Reference'],
  ['docs/reference/errors.md', 'Reference'],
  ['docs/reference/receipt-codes.md', 'Reference'],
  ['docs/state-machine.md', 'Reference'],
  ['docs/cli.md', 'Reference'],
  ['docs/configuration.md', 'Reference'],
  ['docs/smpp.md', 'Reference'],
  ['docs/sgip.md', 'Reference'],
  ['docs/simulator.md', 'Reference'],
  ['docs/reference/metrics.md', 'Reference'],
  ['docs/performance.md', 'Project'],
  ['docs/simulation.md', 'Project'],
  ['sdks/README.md', 'Project', 'How SDKs behave'],
  ['ARCHITECTURE.md', 'Project'],
  ['docs/decisions/README.md', 'Project'],
  ['CHANGELOG.md', 'Project'],
  ['CONTRIBUTING.md', 'Project'],
];

/** Pages from outside `docs`, which link to it and are linked from it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'packages/client/README.md': '/docs/client',
  'sdks/python/README.md': '/docs/sdks/python',
  'sdks/go/README.md': '/docs/sdks/go',
  'sdks/java/README.md': '/docs/sdks/java',
  'sdks/php/README.md': '/docs/sdks/php',
  'sdks/README.md': '/docs/sdks/behaviour',
  'ARCHITECTURE.md': '/docs/project/architecture',
  'CHANGELOG.md': '/docs/project/changelog',
  'CONTRIBUTING.md': '/docs/project/contributing',
};

/** English pages in the order of the menu, then their translations in the same order. */
export function readSourcePages(root: string): SourcePage[] {
  const found = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .filter((file) => languageOf(file) === 'en')
    .sort();
  const named = ORDER.filter(([file]) => existsSync(join(root, file)));
  const others = found
    .filter((file) => !ORDER.some(([known]) => known === file))
    .map((file): readonly [string, Section | undefined, string?] => [file, sectionOf(file)]);
  const english = [...named, ...others];
  const chinese = english
    .map(([file, section, label]) => [translationOf(file), section, CHINESE_LABELS[label ?? '']] as const)
    .filter(([file]) => languageOf(file) === 'zh' && existsSync(join(root, file)));
  return [...english, ...chinese].map(([file, section, label]) => {
    const text = readFileSync(join(root, file), 'utf8');
    const title = titleOf(text);
    return { language: languageOf(file), file, section, text, path: pathOf(file), title, label: label ?? title };
  });
}

/** Where the label of a page in the Chinese menu is not its title. */
const CHINESE_LABELS: Readonly<Record<string, string>> = {
  Overview: '概览',
  Signing: '签名',
  Receipts: '回执',
  Scheduling: '定时与取消',
  'TypeScript client': 'TypeScript SDK',
};

export function pathOf(file: string): string {
  return ELSEWHERE[file] ?? `/${file.replace(/(\/README)?\.md$/, '')}`;
}

/** Files that are no pages and are linked from one: programs, dashboards, rules. They are served as they are. */
export function pathOfFile(file: string): string {
  return `/docs/files/${file.replace(/^docs\//, '')}`;
}

/** The file that a link of a page means, relative to the checkout. */
export function resolveLink(from: string, target: string): string {
  return normalize(join(dirname(from), target));
}

function sectionOf(file: string): Section | undefined {
  if (file.startsWith('docs/guides/')) return 'Guides';
  // The index of the decisions lists its records.
  return file.startsWith('docs/decisions/') ? undefined : 'Reference';
}

function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? 'Untitled').replaceAll('`', '');
}
