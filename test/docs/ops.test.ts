// What is in `ops` and beside it, checked by the programs that will read it, where they are on this machine.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { checkout } from '../support/service-process.js';
import { readPage } from './pages.js';

function isHere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stdout.write(`not tried: no ${program} on this machine\n`);
    return false;
  }
}

function check(context: TestContext, program: string, words: readonly string[]): void {
  if (!isHere(program)) context.skip(`${program} is not on this machine`);
  expect(() => execFileSync(program, words, { cwd: checkout, stdio: 'pipe' })).not.toThrow();
}

describe('alert rules', () => {
  it('are rules to Prometheus', (context) => check(context, 'promtool', ['check', 'rules', 'ops/alerts.yaml']));

  it('fire when they must and are quiet when they must', (context) =>
    check(context, 'promtool', ['test', 'rules', 'ops/alerts-test.yaml']));
});

describe('the dashboard', () => {
  const { panels } = JSON.parse(readPage('ops/dashboard.json').text) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  };

  it('has a query in every panel, and no panel twice', () => {
    for (const { title, targets } of panels) expect(targets.length, title).toBeGreaterThan(0);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe('the unit', () => {
  it('is one to systemd', (context) => check(context, 'systemd-analyze', ['verify', 'ops/postrider.service']));
});

describe('the Dockerfile', () => {
  const own = [...readPage('Dockerfile').text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  );

  it('copies what is there, and nothing that .dockerignore keeps away', () => {
    const letIn = readPage('.dockerignore')
      .text.split('\n')
      .filter((line) => line.startsWith('!'));
    expect(own.length).toBeGreaterThan(5);
    for (const path of own) {
      expect(existsSync(join(checkout, path)), path).toBe(true);
      expect(letIn, path).toContain(`!${path.split('/')[0]}`);
    }
  });

  it('runs as an unprivileged user', () => {
    expect(readPage('Dockerfile').text).toMatch(/^USER node$/m);
  });
});
