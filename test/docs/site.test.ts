// The documentation as the build makes it: every page there, every link alive, every code explained and led to.

import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../src/channels/check-config.js';
import { SimulatorConfigSchema } from '../../src/channels/simulator/config.js';
import { SmppConfigSchema } from '../../src/channels/smpp/config.js';
import { CODE_PAGES } from '../../tools/site/known-codes.js';
import { renderDocumentation } from '../../tools/site/main.js';
import { pathOf } from '../../tools/site/pages.js';
import { readPages, readTranslations } from './pages.js';

const files = new Map(renderDocumentation().map(({ name, body }) => [name, body]));
const pages = new Map(
  [...files]
    .filter(([name]) => name.endsWith('.html'))
    .map(([name, body]) => [`/${name.replace(/(\/index)?\.html$/, '')}`, body]),
);

function findAll(body: string, pattern: RegExp): string[] {
  return [...body.matchAll(pattern)].map(([, found = '']) => found.replaceAll('&amp;', '&'));
}

const idsOf = (body: string) => findAll(body, / id="([^"]+)"/g);
const linksOf = (body: string) => findAll(body, /<a [^>]*href="([^"]+)"/g);

function isAlive(from: string, link: string): boolean {
  const [path = '', anchor] = link.replace(/\?lang=(en|zh)$/, '').split('#');
  if (path === '/openapi.json' || path === '/console/') return true;
  const target = path === '' ? from : path;
  if (files.has(target.slice(1))) return anchor === undefined;
  const body = pages.get(target);
  return body !== undefined && (anchor === undefined || idsOf(body).includes(decodeURIComponent(anchor)));
}

it('has a page for every file of the documentation', () => {
  const missing = [...readPages(), ...readTranslations()]
    .filter(({ path }) => path !== 'README.md')
    .filter(({ path }) => !pages.has(pathOf(path)));
  expect(missing.map(({ path }) => path)).toEqual([]);
});

describe.each([...pages])('%s', (path, body) => {
  it('has no dead link', () => {
    const dead = linksOf(body).filter((link) => !/^[a-z]+:/.test(link) && !isAlive(path, link));
    expect(dead).toEqual([]);
  });

  it('says its language, and leads to the same page in the other one', () => {
    const isChinese = /^\/docs\/zh(\/|$)/.test(path);
    expect(body).toContain(isChinese ? '<html lang="zh-Hans">' : '<html lang="en">');
    const [other = ''] = linksOf(body).filter((link) => link.endsWith(isChinese ? '?lang=en' : '?lang=zh'));
    const twin = isChinese ? path.replace('/docs/zh', '/docs') : path.replace('/docs', '/docs/zh');
    const fallback = isChinese ? '/docs' : '/docs/zh';
    const isPair = pages.has(twin) && !path.endsWith('/not-found');
    expect(other.split('?')[0]).toBe(isPair ? twin : fallback);
  });

  it('names nothing twice', () => {
    const ids = idsOf(body);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('loads nothing but files of ours, and carries no script or style in itself', () => {
    const loaded = [...findAll(body, / src="([^"]+)"/g), ...findAll(body, /<link [^>]*href="([^"]+)"/g)];
    expect(loaded.filter((address) => !files.has(address.replace(/^\/|\?.*$/g, '')))).toEqual([]);
    expect(body).not.toMatch(/<style|<script>|\sstyle=|\son\w+="|javascript:/i);
  });

  it('is in the menu of every page, and marked there on its own', () => {
    if (path.endsWith('/not-found')) return;
    const isRecord = path.startsWith('/docs/decisions/');
    expect(body).toContain(
      isRecord ? '<a href="/docs/decisions" aria-current="true">' : `<a href="${path}" aria-current="page">`,
    );
  });
});

describe.each(Object.entries(CODE_PAGES))('every %s code', (_, codes) => {
  it.each([...codes])('%s is explained, and led to from elsewhere', (code, address) => {
    const [page = ''] = address.split('#');
    expect(idsOf(pages.get(page) ?? '')).toContain(code);
    const others = [...pages].filter(([path, body]) => path !== page && linksOf(body).includes(address));
    const own = linksOf(pages.get(page) ?? '').includes(`#${code}`);
    expect(others.length > 0 || own, `${code} is linked from nowhere`).toBe(true);
  });
});

describe('the pages of the calls', () => {
  const calls = [...pages].filter(([path]) => path.startsWith('/docs/api/'));
  const operations = calls.flatMap(([, body]) => body.split('<section class="operation"').slice(1));

  it('show each call in six languages, and what it answers', () => {
    expect(operations.length).toBeGreaterThan(40);
    for (const operation of operations) {
      const languages = findAll(operation, /<button [^>]*role="tab"[^>]*>([^<]+)</g);
      expect(languages).toEqual(['curl', 'TypeScript', 'Python', 'Go', 'Java', 'PHP']);
      expect(operation).toContain('<div class="answer">');
    }
  });

  it('keep the calls of customers and of operators apart', () => {
    for (const [path, body] of calls) {
      const paths = findAll(body, /<p class="path">.*?<code>(.*?)<\/code>/g).map((found) =>
        found.replaceAll('<wbr>', ''),
      );
      const prefix = path.startsWith('/docs/api/customer/') ? '/openapi/v1/' : '/operator/v1/';
      expect(paths.length, path).toBeGreaterThan(0);
      expect(paths.filter((found) => !found.startsWith(prefix))).toEqual([]);
    }
  });

  it('have the configuration of each kind of channel in full', () => {
    const ids = idsOf(pages.get('/docs/api/operator/channels') ?? '');
    const simulator = checkConfig(SimulatorConfigSchema, {});
    if (simulator.faults !== undefined) throw new Error('the simulator refuses its own defaults');
    const fieldsOf = (kind: string) =>
      ids.filter((id) => id.startsWith(`${kind}-`)).map((id) => id.slice(kind.length + 1));
    expect(fieldsOf('simulator').sort()).toEqual(Object.keys(simulator.config).sort());
    expect(fieldsOf('smpp').sort()).toEqual(Object.keys(SmppConfigSchema.properties).sort());
  });
});

it('the page on the simulator has its defaults', () => {
  const page = readPages().find(({ path }) => path === 'docs/simulator.md')?.text ?? '';
  const simulator = checkConfig(SimulatorConfigSchema, {});
  if (simulator.faults !== undefined) throw new Error('the simulator refuses its own defaults');
  for (const [field, value] of Object.entries(simulator.config)) {
    expect(page, field).toMatch(new RegExp(`^\\| \`${field}\` \\| \`${JSON.stringify(value)}\` \\|`, 'm'));
  }
});
