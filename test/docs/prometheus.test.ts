// The alert rules and the queries of the dashboard in a real Prometheus, which scrapes a real service. Skipped where there is none.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/service.js';
import { checkout } from '../support/service-process.js';
import { until } from '../support/until.js';
import { readPage } from './pages.js';

const PROGRAM = 'prometheus';
const isHere = spawnSync(PROGRAM, ['--version']).status === 0;
if (!isHere) process.stdout.write('not tried: no prometheus on this machine\n');

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Scrapes the service every second, with the rules of `ops`. */
async function startPrometheus(target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-prometheus-'));
  const config = `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${join(checkout, 'ops/alerts.yaml')}']
scrape_configs:
  - job_name: postrider
    static_configs: [{ targets: ['${new URL(target).host}'] }]
`;
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const address = `127.0.0.1:${await findFreePort()}`;
  const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  const child = spawn(PROGRAM, [...options, `--web.listen-address=${address}`], { stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return `http://${address}`;
}

test.skipIf(!isHere)('a real Prometheus takes the rules, and answers every query of the dashboard', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const url = await startPrometheus(service.url);
  const ask = async (path: string) => {
    const response = await fetch(`${url}/api/v1/${path}`).catch(() => undefined);
    // biome-ignore lint/suspicious/noExplicitAny: the answers of Prometheus differ by call.
    return (await response?.json().catch(() => undefined)) as any;
  };
  const query = (expr: string) => ask(`query?query=${encodeURIComponent(expr)}`);
  await until(
    'the service is scraped',
    async () => (await query('up{job="postrider"} == 1'))?.data?.result.length === 1,
  );

  const readRules = async () => (await ask('rules'))?.data.groups.flatMap((group: { rules: object[] }) => group.rules);
  const rules = await until('every rule was evaluated', async () => {
    const found: { health: string; name: string; state: string }[] = await readRules();
    return found.every(({ health }) => health !== 'unknown') && found;
  });
  const names = [...readPage('ops/alerts.yaml').text.matchAll(/- alert: (\w+)/g)].map((match) => match[1]);
  expect(rules.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);

  const { panels } = JSON.parse(readPage('ops/dashboard.json').text) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const answer = await query(expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.*'));
      expect(answer?.status, `${title}: ${expr}`).toBe('success');
    }
  }
});
